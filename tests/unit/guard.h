#ifndef UNIT_GUARD_H
#define UNIT_GUARD_H

#include <assert.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* A copy of some bytes that ends right before memory nobody may touch: reading one byte too many
 * crashes, with any compiler and without a sanitizer. */
struct guarded {
    char *p; /* the copy */
    char *map;
    size_t map_n;
};

static inline struct guarded guard_copy(const char *bytes, size_t n)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    struct guarded g = {.map_n = (n / page + 2) * page};
    void *map = mmap(NULL, g.map_n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert(map != MAP_FAILED);
    g.map = map;
    int rc = mprotect(g.map + g.map_n - page, page, PROT_NONE);
    assert(rc == 0);
    (void)rc;
    g.p = g.map + g.map_n - page - n;
    if (n > 0)
        memcpy(g.p, bytes, n);
    return g;
}

static inline void guard_free(struct guarded *g)
{
    munmap(g->map, g->map_n);
}

#endif
