#!/bin/sh
# An ACP agent that asks what it is told to: the request _ask {"method", "params"} makes it send that request to
# the client, and is answered with {"answer": the client's response} when that comes. _tell sends a notification so.
turn=
say() { printf '%s\n' "$1"; }
reply() { say "{\"jsonrpc\":\"2.0\",\"id\":$1,\"result\":$2}"; }
while IFS= read -r line; do
    id=${line#*\"id\":}
    id=${id%%[,\}]*}
    rest=${line#*\"params\":\{}
    case $line in
    *'"id":"ask-'*) id=${id#\"ask-}; reply "${id%\"}" "{\"answer\":$line}" ;;
    *'"method":"_ask"'*) say "{\"jsonrpc\":\"2.0\",\"id\":\"ask-$id\",${rest%\}}" ;;
    *'"method":"_tell"'*) say "{\"jsonrpc\":\"2.0\",${rest%\}}"; reply "$id" '{}' ;;
    *'"method":"initialize"'*) reply "$id" '{"protocolVersion":1}' ;;
    *'"method":"session/new"'*) reply "$id" '{"sessionId":"s1"}' ;;
    *'"method":"session/prompt"'*) turn=$id ;;
    *'"method":"session/cancel"'*) [ -n "$turn" ] && reply "$turn" '{"stopReason":"cancelled"}'; turn= ;;
    *'_acp.conformance/fence'*) say "{\"jsonrpc\":\"2.0\",\"id\":$id,\"error\":{\"code\":-32601,\"message\":\"no such method\"}}" ;;
    *) ;;
    esac
done
