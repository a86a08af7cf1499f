#ifndef UNIT_TOOL_KIT_H
#define UNIT_TOOL_KIT_H

/* Runs one tool in a folder of its own. */

#include "agent/tool.h"
#include "agent/toolset.h"
#include "base/err.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <uv.h>

#include <cmocka.h>

struct tool_kit {
    char folder[64]; /* fresh; no links in it */
    uv_loop_t loop;
    struct tool_call call;
    struct tool_run *run;
    bool done, failed, has_raw;
    char *text; /* owned; the last result, or why there was none */
    char *raw;  /* owned; or NULL */
};

static inline int kit_setup(void **state)
{
    struct tool_kit *k = calloc(1, sizeof *k);
    strcpy(k->folder, "/tmp/test_tool_XXXXXX");
    *state = k;
    return mkdtemp(k->folder) && uv_loop_init(&k->loop) == 0 ? 0 : -1;
}

static inline int kit_teardown(void **state)
{
    struct tool_kit *k = *state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", k->folder);
    int rc = system(command); /* NOLINT(cert-env33-c): a fixed command on a folder of our own */
    assert_int_equal(uv_loop_close(&k->loop), 0);
    free(k->text);
    cJSON_free(k->raw);
    free(k);
    return rc;
}

/* A file, with the folders on its way. */
static inline void kit_write(const struct tool_kit *k, const char *name, const char *bytes,
                             size_t n)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", k->folder, name);
    for (char *slash = strchr(path + strlen(k->folder) + 1, '/'); slash;
         slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(path, 0700);
        *slash = '/';
    }
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, n, f), n);
    assert_int_equal(fclose(f), 0);
}

static inline void kit_write_text(const struct tool_kit *k, const char *name, const char *text)
{
    kit_write(k, name, text, strlen(text));
}

static inline void kit_on_done(void *ctx, struct tool_result *result)
{
    struct tool_kit *k = ctx;
    k->done = true;
    k->run = NULL;
    k->failed = result->failed;
    k->text = result->text;
    result->text = NULL;
    k->has_raw = result->raw;
    k->raw = result->raw ? cJSON_PrintUnformatted(result->raw) : NULL;
}

static inline int kit_prepare(struct tool_kit *k, const char *tool, const char *args)
{
    const struct toolset none = {0};
    char *name = strdup(tool), *copy = strdup(args);
    struct history_call from = {.id = NULL, .name = name, .args = copy};
    free(k->text);
    cJSON_free(k->raw);
    k->text = k->raw = NULL;
    k->done = k->failed = false;
    int rc = name && copy ? tool_prepare(&k->call, &none, k->folder, &from) : E_NOMEM;
    free(name);
    free(copy);
    return rc;
}

/* Up to a tool that runs. E_INVALID: it is refused, k->text says why. */
static inline int kit_start(struct tool_kit *k, const char *tool, const char *args)
{
    int rc = kit_prepare(k, tool, args);
    if (rc == 0)
        rc = tool_locate(&k->call);
    if (rc == 0 && k->call.error) {
        k->text = strdup(k->call.error);
        rc = k->text ? E_INVALID : E_NOMEM;
    }
    return rc == 0 ? tool_start(&k->loop, &k->call, kit_on_done, k, &k->run) : rc;
}

static inline int kit_run(struct tool_kit *k, const char *tool, const char *args)
{
    int rc = kit_start(k, tool, args);
    uv_run(&k->loop, UV_RUN_DEFAULT);
    if (rc == 0)
        assert_true(k->done);
    if (rc == 0 && (!k->text || (!k->raw && k->has_raw)))
        rc = E_NOMEM;
    tool_call_deinit(&k->call);
    return rc;
}

#endif
