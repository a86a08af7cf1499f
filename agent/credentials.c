#include "agent/credentials.h"

#include "agent/file.h"
#include "base/err.h"
#include "base/log.h"
#include "json/jsonw.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_MAX  (1u << 20)
#define FILE_NAME "credentials.json"

/* 0: *ret is an object, or NULL: no file. E_PARSE: no object in it. */
static int read_file(const char *path, cJSON **ret)
{
    struct buf text = {0};
    struct json_error err;
    cJSON *root = NULL;
    int rc = file_read_all(path, FILE_MAX, &text);
    if (rc == 0)
        rc = buf_cstr(&text) ? json_parse(text.p, text.n, &root, &err) : E_NOMEM;
    if (rc == E_PARSE)
        log_warn("%s: %s: the file is ignored; write one JSON object: {\"openai\": \"KEY\"}", path,
                 err.text);
    else if (rc == 0 && !cJSON_IsObject(root))
        log_warn("%s: is no JSON object and is ignored; write {\"openai\": \"KEY\"}", path);
    else if (rc < 0 && rc != E_NOTFOUND)
        log_warn("%s: %s: the file is ignored", path, err_text(rc));
    buf_deinit(&text);
    if (rc == 0 && !cJSON_IsObject(root)) {
        cJSON_Delete(root);
        rc = E_PARSE;
    }
    *ret = rc == 0 ? root : NULL;
    return rc == E_NOTFOUND ? 0 : rc;
}

int credentials_read(config_env env, cJSON **ret)
{
    struct buf path = {0};
    *ret = NULL;
    int rc = config_locate(env, FILE_NAME, &path);
    if (rc == 0)
        rc = buf_cstr(&path) ? read_file(path.p, ret) : E_NOMEM;
    buf_deinit(&path);
    return rc == E_NOMEM ? rc : 0;
}

/* --- writing --- */

static int make_folders(char *path)
{
    for (char *at = strchr(path + 1, '/'); at; at = strchr(at + 1, '/')) {
        *at = '\0';
        int rc = mkdir(path, 0700) < 0 && errno != EEXIST ? -errno : 0;
        *at = '/';
        if (rc < 0)
            return rc;
    }
    return 0;
}

static int write_all(int fd, const char *text, size_t n)
{
    while (n > 0) {
        ssize_t done = write(fd, text, n);
        if (done < 0 && errno != EINTR)
            return -errno;
        if (done > 0) {
            text += done;
            n -= (size_t)done;
        }
    }
    return fsync(fd) < 0 ? -errno : 0;
}

int credentials_write_file(const char *path, const char *text, size_t n)
{
    struct buf other = {0};
    int rc = buf_addf(&other, "%s.XXXXXX", path);
    if (rc < 0 || !buf_cstr(&other)) {
        buf_deinit(&other);
        return E_NOMEM;
    }
    rc = make_folders(other.p);
    int fd = rc == 0 ? mkstemp(other.p) : -1; /* 0600 */
    if (rc == 0)
        rc = fd < 0 ? -errno : write_all(fd, text, n);
    if (fd >= 0)
        close(fd);
    if (rc == 0 && rename(other.p, path) < 0)
        rc = -errno;
    if (rc < 0 && fd >= 0)
        unlink(other.p);
    buf_deinit(&other);
    return rc;
}

static void write_others(struct jsonw *w, const cJSON *root, const char *but)
{
    const cJSON *item;
    cJSON_ArrayForEach(item, root)
    {
        if (strcmp(item->string, but) != 0)
            jw_ktree(w, item->string, item);
    }
}

static int replace(const char *path, const char *provider, const char *key)
{
    struct buf text = {0};
    struct jsonw w;
    cJSON *root = NULL;
    int rc = read_file(path, &root);
    if (rc < 0)
        return rc;
    jw_begin(&w, &text);
    jw_open(&w, '{');
    write_others(&w, root, provider);
    if (key)
        jw_kstr(&w, provider, key);
    jw_close(&w);
    rc = jw_end(&w);
    if (rc == 0)
        rc = buf_addc(&text, '\n');
    if (rc == 0)
        rc = credentials_write_file(path, text.p, text.n);
    cJSON_Delete(root);
    buf_deinit(&text);
    return rc;
}

int credentials_store(config_env env, const char *provider, const char *key)
{
    struct buf path = {0};
    int rc = config_locate(env, FILE_NAME, &path);
    if (rc == 0)
        rc = buf_cstr(&path) ? replace(path.p, provider, key) : E_NOMEM;
    buf_deinit(&path);
    return rc;
}

int credentials_remove(config_env env)
{
    struct buf path = {0};
    int rc = config_locate(env, FILE_NAME, &path);
    if (rc == 0 && !buf_cstr(&path))
        rc = E_NOMEM;
    if (rc == 0 && unlink(path.p) < 0 && errno != ENOENT)
        rc = -errno;
    buf_deinit(&path);
    return rc == E_NOTFOUND ? 0 : rc;
}
