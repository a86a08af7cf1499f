/* Plays a case against an agent that asks what the case tells it to ask. */
#ifndef TESTS_ASKER_H
#define TESTS_ASKER_H

#include "play.h"

#define ALL                                                                                        \
    "'capabilities': {'fs': {'readTextFile': true, 'writeTextFile': true}, 'terminal': true, "     \
    "'elicitation': {'form': {}, 'url': {}}}"
#define CLIENT(more, steps)                                                                        \
    "{'checks': ['A-1'], 'client': {" more "}, 'files': {'a.txt': 'one\\ntwo\\nthree\\n'}, "       \
    "'steps': [" steps "]}"

/* The agent asks; the answer is expected to be this. */
#define ASK(method, params, answer)                                                                \
    "{'request': '_ask', 'params': {'method': '" method "', 'params': {'sessionId': 's1'" params   \
    "}}, 'expect': {'result': {'answer': " answer "}}},"
#define ASK_AS(name, method, params)                                                               \
    "{'request': '_ask', 'wait': false, 'as': '" name "', 'params': {'method': '" method           \
    "', 'params': {'sessionId': 's1'" params "}}},"
#define END "{'alive': true}"

static inline void expect(const char *text, const char *log)
{
    const char *argv[] = {"sh", TEST_DATA "/asker.sh", NULL};
    struct play p;
    play_init(&p);
    p.argv = argv;
    play_case(&p, text);
    assert_string_equal(p.log.p, log);
    play_deinit(&p);
}

#define READ(more, answer) ASK("fs/read_text_file", ", 'path': '${cwd}/a.txt'" more, answer)
#define CONTENT(text)      "{'result': {'content': '" text "'}}"

#endif
