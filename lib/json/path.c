#include "json/path.h"

#include <stdio.h>
#include <string.h>

#define PATH_CUT "..."

static void path_put(struct json_path *path, const char *text)
{
    size_t n = strlen(text);
    if (path->full)
        return;
    if (path->n + n > sizeof path->text - sizeof PATH_CUT) {
        path->full = true;
        text = PATH_CUT;
        n = sizeof PATH_CUT - 1;
    }
    memcpy(path->text + path->n, text, n + 1);
    path->n += n;
}

size_t json_path_enter(struct json_path *path, const char *name)
{
    size_t before = path->n;
    path_put(path, "/");
    for (; *name; name++)
        path_put(path, *name == '~' ? "~0" : *name == '/' ? "~1" : (char[]){*name, '\0'});
    return before;
}

size_t json_path_enter_index(struct json_path *path, size_t index)
{
    char name[24];
    snprintf(name, sizeof name, "%zu", index);
    return json_path_enter(path, name);
}

void json_path_leave(struct json_path *path, size_t n)
{
    if (n < path->n)
        path->full = false; /* entered while there was room */
    path->n = n;
    path->text[n] = '\0';
}
