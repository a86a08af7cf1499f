#include "conformance/catalog.h"

#include "base/buf.h"
#include "base/err.h"
#include "conformance/embed.h"
#include "conformance/locate.h"
#include "conformance/nearest.h"
#include "conformance/vary.h"
#include "json/json.h"
#include "json/scan.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CASES_PREFIX "cases/"
#define CASE_SUFFIX  ".json"

static bool ends_in(const char *text, const char *suffix)
{
    size_t n = strlen(text), m = strlen(suffix);
    return n > m && strcmp(text + n - m, suffix) == 0;
}

/* The last two parts of the path without the suffix. NULL: out of memory. */
static char *id_of_path(const char *path)
{
    const char *name = strrchr(path, '/');
    const char *start = name;
    while (start && start > path && start[-1] != '/')
        start--;
    start = start ? start : path;
    size_t n = strlen(start);
    if (ends_in(start, CASE_SUFFIX))
        n -= strlen(CASE_SUFFIX);
    return strndup(start, n);
}

void case_file_deinit(struct case_file *c)
{
    free(c->id);
    free(c->path);
    free(c->owned);
    cJSON_Delete(c->json);
    free(c->title);
    *c = (struct case_file){0};
}

static int read_whole(FILE *f, struct buf *out)
{
    int rc = 0;
    size_t got = 1;
    while (rc == 0 && got > 0) {
        rc = buf_reserve(out, 16384);
        if (rc == 0) {
            got = fread(out->p + out->n, 1, 16384, f);
            out->n += got;
        }
    }
    return rc < 0 ? rc : ferror(f) ? E_IO : 0;
}

static int read_text(const char *path, char **ret, size_t *ret_n)
{
    struct buf text = {0};
    FILE *f = fopen(path, "re");
    if (!f)
        return -errno;
    int rc = read_whole(f, &text);
    fclose(f);
    size_t n = text.n;
    char *p = rc == 0 ? buf_take(&text) : NULL;
    buf_deinit(&text);
    if (!p)
        return rc < 0 ? rc : E_NOMEM;
    *ret = p;
    *ret_n = n;
    return 0;
}

int case_file_read(const char *path, struct case_file *ret, char *err, size_t err_n)
{
    struct case_file c = {0};
    int rc = read_text(path, &c.owned, &c.n);
    if (rc < 0)
        goto fail;
    rc = E_NOMEM;
    c.text = c.owned;
    c.id = id_of_path(path);
    c.path = strdup(path);
    if (!c.id || !c.path)
        goto fail;
    *ret = c;
    return 0;

fail:
    case_file_deinit(&c);
    snprintf(err, err_n, "cannot read %s: %s", path, err_text(rc));
    return rc;
}

static int by_id(const void *a, const void *b)
{
    return strcmp(((const struct case_file *)a)->id, ((const struct case_file *)b)->id);
}

static int take_embedded(const struct embed_file *f, struct case_file *ret)
{
    struct buf path = {0};
    struct case_file c = {.text = f->text, .n = (size_t)(f->end - f->text)};
    int rc = E_NOMEM;
    c.id = id_of_path(f->name);
    if (!c.id || buf_adds(&path, "conformance/") < 0 || buf_adds(&path, f->name) < 0)
        goto fail;
    c.path = buf_take(&path);
    if (!c.path)
        goto fail;
    *ret = c;
    return 0;

fail:
    buf_deinit(&path);
    case_file_deinit(&c);
    return rc;
}

int catalog_open_embedded(struct catalog *ret)
{
    struct catalog c = {0};
    int rc = 0;
    for (size_t i = 0; i < embed_count && rc == 0; i++) {
        if (strncmp(embed_files[i].name, CASES_PREFIX, strlen(CASES_PREFIX)) != 0)
            continue;
        struct case_file found;
        rc = take_embedded(&embed_files[i], &found);
        if (rc == 0)
            rc = vary_add(&c, &found);
    }
    if (rc < 0) {
        catalog_close(&c);
        return rc;
    }
    if (c.n > 0)
        qsort(c.cases, c.n, sizeof *c.cases, by_id);
    *ret = c;
    return 0;
}

/* All *.json of one area folder. A name that is no folder is passed over: a README may stand
 * beside the areas. */
static int read_area(struct catalog *c, const char *dir, char *err, size_t err_n)
{
    int rc = 0;
    DIR *d = opendir(dir);
    if (!d)
        return errno == ENOTDIR ? 0 : -errno;
    for (struct dirent *e; rc == 0 && (e = readdir(d));) {
        char path[1024];
        struct case_file found;
        if (e->d_name[0] == '.' || !ends_in(e->d_name, CASE_SUFFIX))
            continue;
        if ((size_t)snprintf(path, sizeof path, "%s/%s", dir, e->d_name) >= sizeof path)
            continue;
        rc = case_file_read(path, &found, err, err_n);
        if (rc == 0)
            rc = vary_add(c, &found);
    }
    closedir(d);
    return rc;
}

int catalog_open_dir(const char *dir, struct catalog *ret, char *err, size_t err_n)
{
    struct catalog c = {0};
    int rc = 0;
    DIR *d = opendir(dir);
    if (!d) {
        rc = -errno;
        snprintf(err, err_n, "cannot open the folder of cases %s: %s", dir, err_text(rc));
        return rc;
    }
    err[0] = '\0';
    for (struct dirent *e; rc == 0 && (e = readdir(d));) {
        char path[1024];
        if (e->d_name[0] != '.' &&
            (size_t)snprintf(path, sizeof path, "%s/%s", dir, e->d_name) < sizeof path)
            rc = read_area(&c, path, err, err_n);
    }
    closedir(d);
    if (rc < 0) {
        if (!err[0])
            snprintf(err, err_n, "cannot read the cases in %s: %s", dir, err_text(rc));
        catalog_close(&c);
        return rc;
    }
    if (c.n > 0)
        qsort(c.cases, c.n, sizeof *c.cases, by_id);
    *ret = c;
    return 0;
}

int catalog_open_file(const char *path, struct catalog *ret, char *err, size_t err_n)
{
    struct catalog c = {0};
    struct case_file found;
    int rc = case_file_read(path, &found, err, err_n);
    if (rc < 0)
        return rc;
    rc = vary_add(&c, &found);
    if (rc < 0) {
        snprintf(err, err_n, "cannot read %s: %s", path, err_text(rc));
        catalog_close(&c);
        return rc;
    }
    *ret = c;
    return 0;
}

void catalog_close(struct catalog *c)
{
    for (size_t i = 0; i < c->n; i++)
        case_file_deinit(&c->cases[i]);
    free(c->cases);
    *c = (struct catalog){0};
}

static int id_against_case(const void *id, const void *c)
{
    return strcmp(id, ((const struct case_file *)c)->id);
}

struct case_file *catalog_find(const struct catalog *c, const char *id)
{
    return c->n == 0 ? NULL : bsearch(id, c->cases, c->n, sizeof *c->cases, id_against_case);
}

const char *catalog_nearest(const struct catalog *c, const char *id)
{
    struct nearest best = nearest_begin(id);
    for (size_t i = 0; i < c->n; i++)
        nearest_try(&best, c->cases[i].id);
    return best.name;
}

const cJSON *case_json(struct case_file *c, char *err, size_t err_n)
{
    struct json_scan scan;
    if (c->json)
        return c->json;
    int rc = json_scan(c->text, c->n, &scan);
    if (rc < 0) {
        struct place at = locate_offset(c->text, c->n, scan.error_at);
        snprintf(err, err_n, "%s:%u:%u: not JSON: %s", c->path, at.line, at.column,
                 scan.error_text);
        return NULL;
    }
    cJSON *json = NULL;
    char why[300] = "";
    rc = json_parse(c->text, c->n, &json, NULL);
    if (rc == 0)
        rc = vary_apply(c, json, why, sizeof why);
    if (rc == 0)
        return c->json = json;
    snprintf(err, err_n, "%s: %s", c->path, *why ? why : err_text(rc));
    cJSON_Delete(json);
    return NULL;
}

size_t case_area(const struct case_file *c)
{
    return strcspn(c->id, "/");
}

static const char *skip(const char *p, const char *end, const char *word)
{
    size_t n = strlen(word);
    while (p && p < end && strchr(" \t\r\n", *p))
        p++;
    return p && (size_t)(end - p) >= n && memcmp(p, word, n) == 0 ? p + n : NULL;
}

/* The title as the first member, which it is by custom: to name all cases none need be parsed.
 * NULL: it is not, or memory ran out. */
static char *read_first_title(const struct case_file *c)
{
    const char *end = c->text + c->n;
    const char *p =
        skip(skip(skip(skip(c->text, end, "{"), end, "\"title\""), end, ":"), end, "\"");
    const char *close = p;
    while (close && close < end && *close != '"')
        close += *close == '\\' ? 2 : 1;
    char *raw = close && close < end ? strndup(p - 1, (size_t)(close - p) + 2) : NULL;
    cJSON *json = NULL;
    if (raw)
        json_parse(raw, strlen(raw), &json, NULL);
    const char *text = cJSON_GetStringValue(json);
    char *title = text ? strdup(text) : NULL;
    cJSON_Delete(json);
    free(raw);
    return title;
}

const char *case_title(struct case_file *c)
{
    char err[64];
    if (!c->json && !c->title && c->text)
        c->title = read_first_title(c);
    if (!c->json && c->title)
        return c->title;
    const char *title = json_get_str(case_json(c, err, sizeof err), "title");
    return title ? title : "(no title)";
}
