/*
 * acp-check-lines: the schema validator behind a pipe, for tests that compare it with another one.
 * Reads lines "DEFINITION<TAB>JSON" and answers each with one line: "ok", "fault<TAB>POINTER<TAB>
 * TEXT", or "error<TAB>TEXT" if the line could not be judged.
 */
#include "acp/check.h"
#include "json/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void judge(int def, const char *json)
{
    struct json_error err = {0};
    struct acp_fault fault = {0};
    cJSON *value = NULL;
    if (def < 0)
        printf("error\tno such definition\n");
    else if (json_parse(json, strlen(json), &value, &err) != 0)
        printf("error\t%s\n", err.text);
    else if (acp_check_value(def, value, &fault) == 0)
        printf("ok\n");
    else
        printf("fault\t%s\t%s\n", fault.pointer, fault.text);
    cJSON_Delete(value);
}

int main(void)
{
    char *line = NULL;
    size_t cap = 0;
    ssize_t n;
    while ((n = getline(&line, &cap, stdin)) > 0) {
        if (line[n - 1] == '\n')
            line[n - 1] = '\0';
        char *tab = strchr(line, '\t');
        if (!tab) {
            printf("error\tno tab in the line\n");
            continue;
        }
        *tab = '\0';
        judge(acp_def(line), tab + 1);
    }
    free(line);
    return ferror(stdin) || fflush(stdout) != 0;
}
