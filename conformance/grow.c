#include "conformance/grow.h"

#include "base/err.h"

#include <stdlib.h>
#include <string.h>

int grow_pointers(void *array, size_t n, size_t *cap)
{
    void **old, **more; /* copied by bytes: arrays of any pointer type come here */
    if (n < *cap)
        return 0;
    size_t room = *cap ? *cap * 2 : 16;
    memcpy(&old, array, sizeof old);
    more = realloc(old, room * sizeof *more);
    if (!more)
        return E_NOMEM;
    memcpy(array, &more, sizeof more);
    *cap = room;
    return 0;
}
