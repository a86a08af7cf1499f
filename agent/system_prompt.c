#include "agent/system_prompt.h"

#include "agent/file.h"
#include "base/err.h"
#include "base/log.h"

#include <stdlib.h>
#include <string.h>
#include <uv.h>

#define INSTRUCTIONS_MAX (64u << 10)

static const char own_words[] =
    "You are a coding agent that works inside the user's editor. Answer briefly and exactly. Use "
    "the tools to look at files instead of guessing what they hold, and say so when something "
    "cannot be found. Text is shown to the user as Markdown.\n"
    "The working directory is ";

static int read_instructions(const char *cwd, struct buf *out)
{
    struct file_text text;
    char *path = file_join(cwd, "AGENTS.md");
    if (!path)
        return E_NOMEM;
    struct file_request req = {.root = cwd, .path = path, .max = INSTRUCTIONS_MAX};
    int rc = file_read_text(&req, &text);
    if (rc == 0 && text.cut)
        log_warn("%s: only the first %u KiB are used", path, INSTRUCTIONS_MAX >> 10);
    if (rc == 0)
        rc = buf_add(out, text.text.p, text.text.n);
    else if (rc != E_NOMEM && rc != UV_ENOENT)
        log_warn("the workspace's instructions are not used: %s", text.error);
    file_text_deinit(&text);
    free(path);
    return rc == E_NOMEM ? rc : 0;
}

static int add_roots(struct buf *out, const char *const *roots)
{
    int rc = roots && *roots ? buf_adds(out, "\nFurther folders of the workspace:") : 0;
    for (; rc == 0 && roots && *roots; roots++)
        rc = buf_addf(out, "\n%s", *roots);
    return rc;
}

/* folder: NULL for the working directory itself. */
static int add_instructions(struct buf *out, const char *cwd, const char *folder)
{
    struct buf text = {0};
    int rc = read_instructions(folder ? folder : cwd, &text);
    if (rc == 0 && text.n > 0)
        rc = folder ? buf_addf(out, "\n\nInstructions of %s (AGENTS.md):\n", folder)
                    : buf_adds(out, "\n\nInstructions of this workspace (AGENTS.md):\n");
    if (rc == 0 && text.n > 0)
        rc = buf_add(out, text.p, text.n);
    buf_deinit(&text);
    return rc;
}

/* The working directory or an earlier folder once more. */
static bool is_repeated(const struct session_place *place, const char *const *root)
{
    bool repeated = strcmp(*root, place->cwd) == 0;
    for (const char *const *r = place->roots; r < root; r++)
        repeated = repeated || strcmp(*r, *root) == 0;
    return repeated;
}

int system_prompt_add_instructions(struct buf *out, const struct session_place *place)
{
    int rc = add_instructions(out, place->cwd, NULL);
    for (const char *const *r = place->roots; rc == 0 && r && *r; r++)
        if (!is_repeated(place, r))
            rc = add_instructions(out, place->cwd, *r);
    return rc;
}

char *system_prompt_make(const struct session_place *place, const char *append)
{
    struct buf out = {0};
    int rc = buf_addf(&out, "%s%s", own_words, place->cwd);
    if (rc == 0)
        rc = add_roots(&out, place->roots);
    if (rc == 0)
        rc = system_prompt_add_instructions(&out, place);
    if (rc == 0 && append && *append)
        rc = buf_addf(&out, "\n\n%s", append);
    char *text = rc == 0 ? buf_take(&out) : NULL;
    buf_deinit(&out);
    return text;
}
