#include "agent/slash.h"

#include "agent/file.h"
#include "agent/front_matter.h"
#include "agent/session.h"
#include "base/err.h"
#include "base/log.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define FILE_MAX     (32u << 10)
#define FOLDER       ".acp-agent/commands"
#define SUFFIX       ".md"
#define LINE_MAX_LEN 200 /* bytes of a description that is the first line */

/* Where commands of one source are. All lent. */
struct folder {
    const char *path, *source;
    const char *root; /* links may not lead out of it */
};

/* "# Title" -> "Title" */
static void first_line(const char *body, char ret[LINE_MAX_LEN])
{
    body += strspn(body, "# \t\r\n");
    snprintf(ret, LINE_MAX_LEN, "%.*s", (int)strcspn(body, "\r\n"), body);
}

static const char *value_of(const struct front_matter *f, const char *key)
{
    const char *value = front_matter_get(f, key);
    return value && *value ? value : NULL;
}

/* text is cut up. 0 or as slash_add. */
static int add_text(struct slash_list *l, const struct folder *in, const char *name, char *text)
{
    struct front_matter f;
    char line[LINE_MAX_LEN];
    int rc = front_matter_read(text, &f);
    if (rc < 0 || f.body[strspn(f.body, " \t\r\n")] == '\0')
        return E_INVALID;
    first_line(f.body, line);
    const char *description = value_of(&f, "description");
    const char *hint = value_of(&f, "argument-hint");
    const struct slash_command c = {.name = name,
                                    .description = description ? description : line,
                                    .hint = !hint && strstr(f.body, "$ARGUMENTS") ? "text" : hint,
                                    .source = in->source,
                                    .text = f.body};
    return slash_add(l, &c);
}

static const char *complaint(int rc)
{
    if (rc == E_EXISTS)
        return "there is another command of that name";
    return rc == E_INVALID ? "it needs a name without blanks, a text, and an end of its head"
                           : err_text(rc);
}

/* 0 or E_NOMEM: a file that cannot be taken costs only itself. */
static int add_file(struct slash_list *l, const struct folder *in, const char *file)
{
    char path[PATH_MAX], name[NAME_MAX + 1];
    struct file_text text;
    if (snprintf(path, sizeof path, "%s/%s", in->path, file) >= (int)sizeof path)
        return 0;
    snprintf(name, sizeof name, "%.*s", (int)(strlen(file) - strlen(SUFFIX)), file);
    const struct file_request req = {.root = in->root, .path = path, .max = FILE_MAX};
    int rc = file_read_text(&req, &text);
    if (rc == 0)
        rc = text.more ? E_TOOBIG : buf_cstr(&text.text) ? 0 : E_NOMEM;
    if (rc == 0)
        rc = add_text(l, in, name, text.text.p);
    if (rc < 0 && rc != E_NOMEM)
        log_warn("%s is no command: %s", path, *text.error ? text.error : complaint(rc));
    file_text_deinit(&text);
    return rc == E_NOMEM ? rc : 0;
}

static int is_command(const struct dirent *e)
{
    size_t n = strlen(e->d_name), suffix = strlen(SUFFIX);
    return e->d_name[0] != '.' && n > suffix && strcmp(e->d_name + n - suffix, SUFFIX) == 0;
}

static int add_folder(struct slash_list *l, const struct folder *in)
{
    struct dirent **list;
    int n = scandir(in->path, &list, is_command, alphasort), rc = 0;
    for (int i = 0; i < n; i++) {
        if (rc == 0)
            rc = add_file(l, in, list[i]->d_name);
        free(list[i]);
    }
    if (n >= 0)
        free(list);
    return rc;
}

/* cwd and then the folders above it: only the nearest that has some counts. */
static int add_project(struct slash_list *l, const char *cwd)
{
    char root[PATH_MAX], path[PATH_MAX + sizeof FOLDER];
    struct stat st;
    snprintf(root, sizeof root, "%s", cwd);
    for (;;) {
        char *slash = strrchr(root, '/');
        snprintf(path, sizeof path, "%s/" FOLDER, root);
        const struct folder in = {path, "project", *root ? root : "/"};
        if (stat(path, &st) == 0 && S_ISDIR(st.st_mode))
            return add_folder(l, &in);
        if (!slash)
            return 0;
        *slash = '\0';
    }
}

static int add_user(struct slash_list *l, const struct env *env)
{
    struct buf path = {0};
    int rc = env->variable ? config_locate(env->variable, "commands", &path) : E_NOTFOUND;
    if (rc == 0)
        rc = buf_cstr(&path) ? 0 : E_NOMEM;
    const struct folder in = {path.p, "user", "/"};
    if (rc == 0)
        rc = add_folder(l, &in);
    buf_deinit(&path);
    return rc == E_NOTFOUND ? 0 : rc;
}

/* The commands of others, behind those of files. */
static int keep_others(const struct slash_list *old, struct slash_list *ret)
{
    for (size_t i = 0; i < old->n; i++) {
        const struct slash_command *c = &old->items[i].command;
        bool of_file = strcmp(c->source, "user") == 0 || strcmp(c->source, "project") == 0;
        int rc = of_file ? 0 : slash_add(ret, c);
        if (rc == E_NOMEM)
            return rc;
        if (rc < 0)
            log_warn("/%s of %s is not used: %s", c->name, c->source, complaint(rc));
    }
    return 0;
}

int slash_load_files(struct session *s)
{
    struct slash_list fresh = {0};
    int rc = s->env->safe_mode ? 0 : add_project(&fresh, s->cwd);
    if (rc == 0)
        rc = add_user(&fresh, s->env);
    if (rc == 0)
        rc = keep_others(&s->commands, &fresh);
    if (rc < 0) {
        slash_list_deinit(&fresh);
        return rc;
    }
    slash_list_deinit(&s->commands);
    s->commands = fresh;
    return 0;
}
