#include "agent/roots.h"

#include <stdlib.h>
#include <string.h>

char **roots_copy(const char *const *list)
{
    size_t n = 0;
    while (list && list[n])
        n++;
    char **copy = list ? calloc(n + 1, sizeof *copy) : NULL;
    for (size_t i = 0; copy && i < n; i++) {
        copy[i] = strdup(list[i]);
        if (!copy[i]) {
            roots_free(copy);
            return NULL;
        }
    }
    return copy;
}

void roots_free(char **list)
{
    for (size_t i = 0; list && list[i]; i++)
        free(list[i]);
    free(list);
}
