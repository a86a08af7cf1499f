/* Any JSON text against every definition: the verdict does not depend on whether a fault is wanted,
 * and a fault is one line of valid UTF-8. */
#include "acp/check.h"
#include "base/err.h"
#include "base/utf8.h"
#include "json/json.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect(bool holds)
{
    if (!holds)
        abort();
}

static bool is_clean(const char *text)
{
    size_t n = strlen(text);
    return utf8_valid_prefix(text, n) == n && !strchr(text, '\n') && !strchr(text, '\x1b');
}

static void on_unknown(void *ctx, const char *pointer, const char *def_name)
{
    (void)ctx;
    expect(pointer[0] == '/' && is_clean(pointer) && acp_def(def_name) >= 0);
}

static void judge(int def, const cJSON *value)
{
    struct acp_fault fault = {0};
    int rc = acp_check_value(def, value, &fault);
    expect(rc == acp_check_value(def, value, NULL));
    expect(rc == 0 || rc == E_INVALID);
    expect((rc == 0) == (fault.text[0] == '\0'));
    expect(is_clean(fault.text) && is_clean(fault.pointer));
    acp_unknown_members(def, value, on_unknown, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    cJSON *value = NULL;
    char *text = malloc(size + 1);
    expect(text != NULL);
    if (size)
        memcpy(text, data, size);
    text[size] = '\0';
    if (json_parse(text, size, &value, NULL) == 0)
        for (int def = 0; def < (int)acp_def_count(); def++)
            judge(def, value);
    cJSON_Delete(value);
    free(text);
    return 0;
}
