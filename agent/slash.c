#include "agent/slash.h"

#include "agent/session.h"
#include "base/err.h"

#include <stdlib.h>
#include <string.h>

#define COMMANDS_MAX 512
#define NAME_MAX_LEN 128
#define ARGUMENTS    "$ARGUMENTS"
#define BLANKS       " \t\r\n"

/* --- the list --- */

void slash_list_deinit(struct slash_list *l)
{
    for (size_t i = 0; i < l->n; i++)
        free(l->items[i].texts);
    free(l->items);
    *l = (struct slash_list){0};
}

static bool is_name(const char *name)
{
    size_t n = name ? strlen(name) : 0;
    if (n == 0 || n > NAME_MAX_LEN || name[0] == '/')
        return false;
    for (const char *p = name; *p; p++)
        if ((unsigned char)*p <= ' ' || *p == 0x7f)
            return false;
    return true;
}

static const struct slash_command *find(const struct slash_list *l, const char *name, size_t n)
{
    const struct slash_command *c;
    for (size_t i = 0; (c = slash_at(l, i)); i++)
        if (strlen(c->name) == n && memcmp(c->name, name, n) == 0)
            return c;
    return NULL;
}

/* The texts of a command stand one behind the other. */
static const char *put(char **at, const char *text)
{
    const char *copy = *at;
    size_t n = text ? strlen(text) + 1 : 0;
    if (!text)
        return NULL;
    memcpy(*at, text, n);
    *at += n;
    return copy;
}

static size_t room(const char *text)
{
    return text ? strlen(text) + 1 : 0;
}

/* 0 or E_NOMEM. */
static int copy_command(const struct slash_command *c, struct slash_item *ret)
{
    size_t n =
        room(c->name) + room(c->description) + room(c->hint) + room(c->source) + room(c->text);
    char *texts = malloc(n), *at = texts;
    if (!texts)
        return E_NOMEM;
    *ret = (struct slash_item){.command = *c, .texts = texts};
    ret->command.name = put(&at, c->name);
    ret->command.description = put(&at, c->description);
    ret->command.hint = put(&at, c->hint);
    ret->command.source = put(&at, c->source);
    ret->command.text = put(&at, c->text);
    return 0;
}

static int reserve(struct slash_list *l)
{
    if (l->n < l->cap)
        return 0;
    size_t cap = l->cap ? 2 * l->cap : 8;
    struct slash_item *items = realloc(l->items, cap * sizeof *items);
    if (!items)
        return E_NOMEM;
    l->items = items;
    l->cap = cap;
    return 0;
}

int slash_add(struct slash_list *l, const struct slash_command *c)
{
    struct slash_item own;
    bool described = c->description && *c->description && c->source;
    if (!is_name(c->name) || !described || (!c->text && !c->run))
        return E_INVALID;
    if (find(l, c->name, strlen(c->name)))
        return E_EXISTS;
    if (l->n >= COMMANDS_MAX)
        return E_TOOBIG;
    if (reserve(l) < 0 || copy_command(c, &own) < 0)
        return E_NOMEM;
    l->items[l->n++] = own;
    return 0;
}

void slash_remove(struct slash_list *l, const char *source)
{
    size_t kept = 0;
    for (size_t i = 0; i < l->n; i++) {
        if (strcmp(l->items[i].command.source, source) == 0)
            free(l->items[i].texts);
        else
            l->items[kept++] = l->items[i];
    }
    l->n = kept;
}

const struct slash_command *slash_at(const struct slash_list *l, size_t i)
{
    if (i < slash_builtin_n)
        return &slash_builtin[i];
    i -= slash_builtin_n;
    return i < l->n ? &l->items[i].command : NULL;
}

/* --- a call --- */

const struct slash_command *slash_find(const struct slash_list *l, const char *text,
                                       const char **ret_args)
{
    text += strspn(text, BLANKS);
    if (*text++ != '/')
        return NULL;
    size_t n = strcspn(text, BLANKS);
    const struct slash_command *c = find(l, text, n);
    if (c)
        *ret_args = text + n + strspn(text + n, BLANKS);
    return c;
}

/* Without the white space behind it. */
static size_t length_of(const char *args)
{
    size_t n = strlen(args);
    while (n > 0 && strchr(BLANKS, args[n - 1]))
        n--;
    return n;
}

int slash_expand(const struct slash_command *c, const char *args, struct buf *out)
{
    size_t n = length_of(args);
    const char *at = c->text, *next = strstr(at, ARGUMENTS);
    bool mentioned = next != NULL;
    int rc = 0;
    while (rc == 0 && next) {
        rc = buf_add(out, at, (size_t)(next - at));
        if (rc == 0)
            rc = buf_add(out, args, n);
        at = next + sizeof ARGUMENTS - 1;
        next = strstr(at, ARGUMENTS);
    }
    if (rc == 0)
        rc = buf_adds(out, at);
    if (rc == 0 && !mentioned && n > 0)
        rc = buf_addf(out, "\n\n%.*s", (int)n, args);
    return rc;
}

void slash_end(struct slash_call *call, enum slash_end end, const char *text)
{
    call->stop = NULL;
    call->done(call, end, text);
}

/* --- for the client --- */

static void write_command(struct jsonw *w, const struct slash_command *c)
{
    jw_open(w, '{');
    jw_kstr(w, "name", c->name);
    jw_kstr(w, "description", c->description);
    if (c->hint) {
        jw_kopen(w, "input", '{');
        jw_kstr(w, "hint", c->hint);
        jw_close(w);
    }
    jw_close(w);
}

int slash_tell(const struct session *s)
{
    const struct slash_command *c;
    struct jsonw w;
    struct buf out = {0};
    jw_begin(&w, &out);
    jw_open(&w, '{');
    jw_kstr(&w, "sessionUpdate", acp_session_update_name(ACP_UPDATE_AVAILABLE_COMMANDS_UPDATE));
    jw_kopen(&w, "availableCommands", '[');
    for (size_t i = 0; (c = slash_at(&s->commands, i)); i++)
        write_command(&w, c);
    jw_close(&w);
    jw_close(&w);
    int rc = jw_end(&w);
    if (rc == 0)
        rc = update_raw(session_updates(s), out.p, out.n);
    buf_deinit(&out);
    return rc;
}
