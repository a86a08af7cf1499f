# Completion for fish: commands and options come from each program's own --help.
for program in acp-agent acp-conformance acp-mock-client acp-mock-provider
    complete -c $program -a "(__acp_kit $program)"
end
for program in acp-agent acp-conformance # a command comes first, and no file
    complete -c $program -f -n 'test (count (commandline -opc)) -eq 1'
end

function __acp_kit
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    if string match -q -- '-*' $current
        $argv[1] $words[2] --help 2>/dev/null </dev/null | string match -rag -- '(?:^|[ ,])(--?[a-z][a-z-]*)' | sort -u
    else if test $argv[1] = acp-conformance -a (count $words) -gt 1
        acp-conformance list 2>/dev/null </dev/null | string match -rg '^(\S+)'
    else if test $argv[1] = acp-conformance
        acp-conformance --help </dev/null | tail -n +3 | string match -rg '^  ([a-z]+) +[a-z]'
    else if test $argv[1] = acp-agent -a (count $words) -eq 1
        acp-agent --help </dev/null | string match -rg '^acp-agent ([a-z]+)'
    end
end
