# Completion for bash: the options and commands come from each program's own --help, so they are never stale.
_acp_kit_options() { # PROGRAM [COMMAND]
  "$@" --help 2>/dev/null </dev/null | grep -oE -- '(^|[ ,])--?[a-z][a-z-]*' | grep -oE -- '--?[a-z].*' | sort -u
}

_acp_kit_commands() {
  case ${1##*/} in
    acp-conformance) "$1" --help 2>/dev/null </dev/null | sed -nE '3,$s/^  ([a-z]+) +[a-z].*/\1/p' ;;
    acp-agent) "$1" --help 2>/dev/null </dev/null | sed -nE 's/^acp-agent ([a-z]+).*/\1/p' ;;
  esac
}

_acp_kit_words() { # PROGRAM COMMAND: what may stand there beside options
  case ${1##*/}:$2 in
    acp-conformance:run | acp-conformance:list | acp-conformance:explain | acp-conformance:prove)
      "$1" list 2>/dev/null </dev/null | awk '{ print $1 }' ;;
    acp-conformance:lint | acp-conformance:replay | acp-conformance:matrix) compgen -f -- "$3" ;;
    acp-agent:acp) compgen -d -- "$3" ;;
    acp-agent:sessions) printf '%s\n' list show export delete ;;
    acp-mock-client: | acp-mock-provider:) compgen -c -- "$3" ;;
  esac
}

_acp_kit_values() { # OPTION PROGRAM WORD: fails if the option takes none
  case $1:${2##*/} in
    --profile:acp-agent) printf '%s\n' economy balanced delivery ;;
    --profile:acp-conformance | -p:acp-conformance)
      "$2" run --profile '?' 2>&1 </dev/null | sed -nE 's/.*there are: ([^.]*)\..*/\1/p' | tr -d ',' | tr ' ' '\n'
      compgen -f -- "$3" ;;
    --report:*) printf '%s\n' html= json= junit= md= tap= ;;
    --repeat:*) echo until-failure ;;
    --log-level:*) printf '%s\n' error warn info debug ;;
    --cwd:* | --cases:* | --trace:acp-conformance) compgen -d -- "$3" ;;
    --script:* | --journal:* | --port-file:* | --case:* | --trace:* | --baseline:* | --write-baseline:* | --state:* | \
      --append-system-prompt-file:*) compgen -f -- "$3" ;;
    --exclude:*) "$2" list 2>/dev/null </dev/null | awk '{ print $1 }' ;;
    --jobs:* | -j:* | --shard:* | --seed:* | --port:* | --timeout:* | --timeout-scale:* | --max-tokens:* | --max-line:* | \
      --title:* | --model:* | -m:* | --provider:* | --base-url:* | --append-system-prompt:*) ;;
    *) return 1 ;;
  esac
  return 0
}

_acp_kit() {
  local program=${COMP_WORDS[0]} word=${COMP_WORDS[COMP_CWORD]} command= values words i
  words=$(_acp_kit_commands "$program")
  for ((i = 1; i < COMP_CWORD; i++)); do
    [ "${COMP_WORDS[i]}" = -- ] && { mapfile -t COMPREPLY < <(compgen -c -- "$word"); return; }
    [ -n "$words" ] && [ -z "$command" ] && [[ ${COMP_WORDS[i]} != -* ]] && command=${COMP_WORDS[i]}
  done
  if values=$(_acp_kit_values "${COMP_WORDS[COMP_CWORD - 1]}" "$program" "$word"); then
    words=$values
  elif [[ $word == -* ]]; then
    words=$(_acp_kit_options "$program" ${command:+"$command"})
  elif [ -n "$command" ] || [ -z "$words" ]; then
    words=$(_acp_kit_words "$program" "$command" "$word")
  fi
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
}

complete -o default -F _acp_kit acp-agent acp-conformance acp-mock-client acp-mock-provider
