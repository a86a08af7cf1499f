#include "conformance/cli.h"

#include "conformance/verdict.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* acp-conformance new */

static const char skeleton[] =
    "{\n"
    "  \"title\": \"An answer is streamed before the turn ends\",\n"
    "  \"checks\": [\"PROMPT-11\", \"PROMPT-15\"],\n"
    "  \"model\": [{\"reply\": [{\"text\": [\"Hel\", \"lo\"]}]}],\n"
    "  \"steps\": [\n"
    "    {\"session\": \"s\"},\n"
    "    {\"prompt\": \"say hello\", \"expect\": {\"result\": {\"stopReason\": \"end_turn\"}}, "
    "\"check\": \"PROMPT-11\"},\n"
    "    {\"text\": \"agent\", \"equals\": \"Hello\", \"check\": \"PROMPT-15\"}\n"
    "  ],\n"
    "  \"mutants\": [\n"
    "    {\"on\": {\"result\": {\"stopReason\": \"end_turn\"}}, \"set\": {\"/result/stopReason\": "
    "\"refusal\"}, \"fails\": [\"PROMPT-11\"]},\n"
    "    {\"on\": {\"params\": {\"update\": {\"sessionUpdate\": \"agent_message_chunk\"}}}, "
    "\"drop\": true, \"fails\": [\"PROMPT-15\"]}\n"
    "  ]\n"
    "}\n";

/* "<area>/<name>" of small letters, digits, '-' and '_'. */
static bool is_id(const char *id)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789-_";
    size_t area = strspn(id, letters);
    size_t name = id[area] == '/' ? strspn(id + area + 1, letters) : 0;
    return area > 0 && name > 0 && id[area + 1 + name] == '\0';
}

static int write_new(const char *path)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0)
        return -1;
    ssize_t n = write(fd, skeleton, sizeof skeleton - 1);
    return close(fd) == 0 && n == (ssize_t)(sizeof skeleton - 1) ? 0 : -1;
}

int cmd_new(const struct cli *cli)
{
    char path[1024];
    const char *dir = cli->cases_dir ? cli->cases_dir : "conformance/cases";
    if (cli->n_words != 1 || !is_id(cli->words[0]))
        return cli_usage_error("name one new case, AREA/NAME, in small letters, digits, - and _");
    if ((size_t)snprintf(path, sizeof path, "%s/%s.json", dir, cli->words[0]) >= sizeof path)
        return cli_usage_error("the path is too long");
    char *name = strrchr(path, '/');
    *name = '\0';
    if (mkdir(path, 0777) < 0 && errno != EEXIST)
        return cli_no_verdict(
            "cannot make the folder %s: %s; run this in the project's folder, or say --cases DIR",
            path, strerror(errno));
    *name = '/';
    if (write_new(path) < 0)
        return cli_no_verdict("cannot write %s: %s", path, strerror(errno));
    printf("%s: now change it, see docs/cases.md, and try `acp-conformance lint %s`\n", path, path);
    return EXIT_CONFORMS;
}
