#!/bin/sh
# A small ACP agent for the tests of client and player: the prompt's text says what it does.
sessions=0
turn=
late=
say() { printf '%s\n' "$1"; }
reply() { say "{\"jsonrpc\":\"2.0\",\"id\":$1,\"result\":$2}"; }
fail() { say "{\"jsonrpc\":\"2.0\",\"id\":$1,\"error\":{\"code\":$2,\"message\":\"$3\"}}"; }
update() {
    say "{\"jsonrpc\":\"2.0\",\"method\":\"session/update\",\"params\":{\"sessionId\":\"s$sessions\",\"update\":$1}}"
}
chunk() { update "{\"sessionUpdate\":\"$1\",\"content\":{\"type\":\"text\",\"text\":\"$2\"}}"; }
permission='{"jsonrpc":"2.0","id":"perm","method":"session/request_permission","params":{"sessionId":"s1",
"toolCall":{"toolCallId":"call-1"},"options":[{"optionId":"opt-yes","name":"Yes","kind":"allow_once"},
{"optionId":"opt-no","name":"No","kind":"reject_once"}]}}'

prompt() {
    case $line in
    *'"text":"hello"'*)
        chunk agent_thought_chunk hm
        chunk agent_message_chunk Hel
        chunk agent_message_chunk lo
        reply "$id" '{"stopReason":"end_turn"}' ;;
    *'"text":"notice"'*)
        chunk agent_message_chunk 'Note: x'
        chunk agent_message_chunk Hel
        chunk agent_message_chunk lo
        reply "$id" '{"stopReason":"end_turn"}' ;;
    *'"text":"ask'*)
        turn=$id
        printf '%s' "$permission" | tr -d '\n'
        say '' ;;
    *'"text":"read"'*)
        turn=$id
        say '{"jsonrpc":"2.0","id":77,"method":"fs/read_text_file","params":{"sessionId":"s1","path":"/x"}}' ;;
    *'"text":"hang"'*) turn=$id ;;
    *'"text":"late"'*) turn=$id; late=1 ;;
    *'"text":"die"'*) echo 'last words' >&2; exit 3 ;;
    *'"text":"close"'*) exec >&- ;;
    *'"text":"rest"'*) printf 'half a line'; exit 0 ;;
    *'"text":"last"'*) printf '%s' "{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":{\"stopReason\":\"end_turn\"}}"; exit 0 ;;
    *'"text":"junk"'*) say 'not JSON'; say ''; printf '\377\n'; reply "$id" '{"stopReason":"end_turn"}' ;;
    *'"text":"env"'*) chunk agent_message_chunk "$GREETING $1 $(pwd)"; reply "$id" '{"stopReason":"end_turn"}' ;;
    *'"text":"file"'*) echo new > made.txt; reply "$id" '{"stopReason":"end_turn"}' ;;
    *) fail "$id" -32602 'what prompt is that' ;;
    esac
}

while IFS= read -r line; do
    id=${line#*\"id\":}
    id=${id%%[,\}]*}
    case $line in
    *'"id":"perm"'*|*'"id":77'*)
        update "{\"sessionUpdate\":\"tool_call\",\"toolCallId\":\"call-1\",\"title\":\"t\",\"rawOutput\":$line}"
        [ -n "$turn" ] && reply "$turn" '{"stopReason":"end_turn"}'; turn= ;;
    *'"method":"initialize"'*)
        if [ "$1" = no-handshake ]; then fail "$id" -32603 'no, thanks'; continue; fi
        reply "$id" '{"protocolVersion":1,"agentCapabilities":{"loadSession":true}}' ;;
    *'"method":"session/new"'*)
        if [ "$1" = login ]; then fail "$id" -32000 'log in first'; continue; fi
        sessions=$((sessions + 1))
        reply "$id" "{\"sessionId\":\"s$sessions\",\"modes\":{\"currentModeId\":\"ask\"}}" ;;
    *'"method":"session/prompt"'*) prompt "$1" ;;
    *'"method":"session/cancel"'*)
        if [ -n "$late" ]; then late=; printf '%s' "$permission" | tr -d '\n'; say ''; continue; fi
        [ -n "$turn" ] && reply "$turn" '{"stopReason":"cancelled"}'; turn= ;;
    *'"method":"_deaf"'*) ;;
    *'"method":"_echo"'*) reply "$id" "$line" ;;
    *'"method":"$/cancel_request"'*) id=${line##*:}; fail "${id%%\}*}" -32800 stopped ;;
    *'_acp.conformance/fence'*) [ "$1" = no-fence ] || fail "$id" -32601 'no such method' ;;
    *'"method"'*'"id"'*|*'"id"'*'"method"'*) fail "$id" -32601 'no such method' ;;
    *'"method"'*) ;;
    *) say '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"no JSON"}}' ;;
    esac
done
[ "$1" = slow-end ] && while :; do sleep 5; done
exit 0
