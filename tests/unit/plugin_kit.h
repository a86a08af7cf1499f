#ifndef PLUGIN_KIT_H
#define PLUGIN_KIT_H

/* Folders of plugins for tests, below a temporary one. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct plugin_kit {
    char home[64];
};

static inline void kit_begin(struct plugin_kit *k)
{
    snprintf(k->home, sizeof k->home, "/tmp/test_plugin_XXXXXX");
    char *made = mkdtemp(k->home);
    assert(made);
    (void)made;
}

/* Writes home/path, with the folders it needs. */
static inline void kit_write(const struct plugin_kit *k, const char *path, const char *text)
{
    char whole[512];
    snprintf(whole, sizeof whole, "%s/%s", k->home, path);
    for (char *p = whole + strlen(k->home) + 1; (p = strchr(p, '/')); p++) {
        *p = '\0';
        mkdir(whole, 0700);
        *p = '/';
    }
    FILE *f = fopen(whole, "w");
    assert(f);
    fputs(text, f);
    fclose(f);
}

static inline void kit_end(struct plugin_kit *k)
{
    char line[128];
    snprintf(line, sizeof line, "rm -rf %s", k->home);
    int rc = system(line);
    assert(rc == 0);
    (void)rc;
}

#endif
