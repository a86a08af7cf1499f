#include "agent/search.h"

#include "agent/file.h"
#include "base/err.h"
#include "base/utf8.h"
#include "json/json.h"

#include <string.h>

#define FILE_MAX    (8u << 20)
#define BINARY_LOOK 8192u
#define LINE_SHOWN  400u /* bytes */

struct grep_args {
    const char *pattern, *path, *glob;
};

static int grep_args(const cJSON *args, struct grep_args *ret, struct json_error *err)
{
    static const struct json_field fields[] = {
        {"pattern", JSON_STR, JSON_REQUIRED, offsetof(struct grep_args, pattern)},
        {"path", JSON_STR, JSON_NULLABLE, offsetof(struct grep_args, path)},
        {"glob", JSON_STR, JSON_NULLABLE, offsetof(struct grep_args, glob)},
    };
    *ret = (struct grep_args){.path = "."};
    return json_read(args, "arguments", fields, ARRAY_LEN(fields), ret, err);
}

struct compiled {
    struct pattern *pattern, *only;
    struct pattern_error err;
    const char *member; /* the one that err is about */
};

static int compile(const struct grep_args *a, struct compiled *ret)
{
    *ret = (struct compiled){.member = "pattern"};
    int rc = pattern_compile(a->pattern, &ret->pattern, &ret->err);
    if (rc < 0 || !a->glob)
        return rc;
    ret->member = "glob";
    rc = pattern_compile_glob(a->glob, true, &ret->only, &ret->err);
    if (rc < 0)
        pattern_destroy(ret->pattern);
    return rc;
}

static int prepare(struct tool_call *c)
{
    struct grep_args a;
    struct json_error err;
    struct compiled both;
    if (grep_args(c->args, &a, &err) < 0)
        return tool_refuse(c, err.text);
    int rc = search_name(c, "Search", a.pattern, a.path);
    if (rc < 0)
        return rc;
    rc = compile(&a, &both);
    if (rc == E_PARSE)
        return search_refuse(c, both.member, &both.err);
    if (rc < 0)
        return rc;
    pattern_destroy(both.pattern);
    pattern_destroy(both.only);
    return 0;
}

/* Of a character of several bytes. */
static bool is_inside(char c)
{
    return ((unsigned char)c & 0xc0) == 0x80;
}

static int add_line(struct search *s, const struct walk_entry *e, size_t number, const char *line,
                    size_t n)
{
    size_t shown = n;
    if (n > LINE_SHOWN)
        for (shown = LINE_SHOWN; shown > LINE_SHOWN - 4 && is_inside(line[shown]);)
            shown--;
    s->line.n = 0;
    int rc = buf_addf(&s->line, ":%zu: ", number);
    if (rc == 0)
        rc = utf8_append_repaired(&s->line, line, shown);
    if (rc == 0 && shown < n)
        rc = buf_adds(&s->line, " [...]");
    return rc == 0 ? search_add(s, e) : rc;
}

static size_t without_return(const char *p, size_t n)
{
    bool has = n != 0 && p[n - 1] == '\r';
    return n - has;
}

static int search_text(struct search *s, const struct walk_entry *e)
{
    const char *p = s->file.p, *end = p + s->file.n;
    int rc = 0;
    for (size_t number = 1; rc == 0 && p < end; number++) {
        const char *nl = memchr(p, '\n', (size_t)(end - p));
        size_t n = without_return(p, (size_t)((nl ? nl : end) - p));
        rc = walk_must_end(&s->walk);
        int hit = rc == 0 ? pattern_match(s->pattern, p, n) : 0;
        if (hit == 1)
            rc = add_line(s, e, number, p, n);
        else if (hit == E_TOOBIG)
            s->given_up++;
        else if (hit < 0)
            rc = hit;
        p = nl ? nl + 1 : end;
    }
    return rc;
}

/* As git sees it. */
static bool is_binary(const struct buf *text)
{
    size_t n = text->n < BINARY_LOOK ? text->n : BINARY_LOOK;
    return text->p && memchr(text->p, '\0', n);
}

static int visit(struct search *s, const struct walk_entry *e)
{
    if (e->is_link)
        return 0;
    int rc = file_read_at(e->folder_fd, e->name, FILE_MAX, &s->file);
    if (rc == E_NOMEM)
        return rc;
    if (rc < 0)
        s->walk.passed_over++;
    return rc < 0 || is_binary(&s->file) ? 0 : search_text(s, e);
}

static int start(struct tool_run *run, struct tool_call *c)
{
    static const struct search_kind kind = {
        .visit = visit, .lines_max = 300, .none = "[No line matches.]\n", .what = "lines"};
    struct grep_args a;
    struct json_error err;
    struct compiled both;
    int rc = grep_args(c->args, &a, &err);
    if (rc == 0)
        rc = compile(&a, &both);
    return rc == 0 ? search_start(run, &kind, both.pattern, both.only) : rc;
}

const struct tool tool_grep = {
    .spec = {.name = "grep",
             .description = "Find lines that match a Perl regular expression in the text files of "
                            "the workspace. What .gitignore names is left out. Unsaved changes in "
                            "the editor are not seen.",
             .schema = "{\"type\":\"object\",\"properties\":{"
                       "\"pattern\":{\"type\":\"string\",\"description\":\"one line at a time is "
                       "matched; (?i) ignores case\"},"
                       "\"path\":{\"type\":\"string\",\"description\":\"folder or file to look in, "
                       "the working directory by default\"},"
                       "\"glob\":{\"type\":\"string\",\"description\":\"only files with such "
                       "names: *.c, src/**/*.h\"}},"
                       "\"required\":[\"pattern\"],\"additionalProperties\":false}"},
    .kind = ACP_KIND_SEARCH,
    .prepare = prepare,
    .start = start,
    .stop = search_stop,
};
