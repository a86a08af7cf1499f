#include "conformance/mutant_fill.h"

#include "base/err.h"
#include "json/json.h"
#include "json/jsonw.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { POINTER_MAX = 128 };

/* The length of "${/...}" at p, with the pointer between the braces; 0 if there is none. */
static size_t read_slot(const char *p, size_t n, char *pointer)
{
    const char *end = n > 3 && memcmp(p, "${/", 3) == 0 ? memchr(p, '}', n) : NULL;
    size_t length = end ? (size_t)(end - p) - 2 : POINTER_MAX;
    if (length >= POINTER_MAX)
        return 0;
    memcpy(pointer, p + 2, length);
    pointer[length] = '\0';
    return length + 3;
}

static int add_value(struct buf *out, const cJSON *value)
{
    struct buf text = {0};
    struct jsonw w;
    size_t quote = cJSON_IsString(value) ? 1 : 0;
    jw_begin(&w, &text);
    jw_tree(&w, value);
    int rc = jw_end(&w);
    if (rc == 0)
        rc = buf_add(out, text.p + quote, text.n - 2 * quote);
    buf_deinit(&text);
    return rc;
}

int mutant_fill(struct buf *out, const char *bytes, size_t n, const cJSON *message)
{
    char pointer[POINTER_MAX];
    int rc = 0;
    while (rc == 0 && n > 0) {
        size_t used = read_slot(bytes, n, pointer);
        if (used == 0) {
            rc = buf_addc(out, *bytes);
            used = 1;
        } else {
            /* json_pointer only reads */
            const cJSON *value = json_pointer((cJSON *)(uintptr_t)message, pointer);
            rc = value ? add_value(out, value) : 0;
        }
        bytes += used;
        n -= used;
    }
    return rc;
}
