/* Name patterns: whatever they are, they come to a regular expression that is legal or refused with
 * a reason, and rules made of them have an answer for any path. */
#include "agent/ignore.h"
#include "agent/pattern.h"
#include "base/err.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void match(const char *glob, const char *path, bool braces)
{
    struct pattern *p = NULL;
    struct pattern_error err = {.text = ""};
    int rc = pattern_compile_glob(glob, braces, &p, &err);
    if (rc == 0 ? pattern_match(p, path, strlen(path)) > 1 : rc != E_PARSE || !err.text[0])
        abort();
    pattern_destroy(p);
}

/* The last line is the path. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ignore *rules = NULL;
    char *text = malloc(size + 1);
    if (!text)
        abort();
    memcpy(text, data, size);
    text[size] = '\0';
    char *last = strrchr(text, '\n');
    const char *path = last ? last + 1 : "";
    if (ignore_parse(text, size, &rules) < 0 || ignore_says(rules, path, true) < 0)
        abort();
    if (last)
        *last = '\0';
    match(text, path, true);
    match(text, path, false);
    ignore_destroy(rules);
    free(text);
    return 0;
}
