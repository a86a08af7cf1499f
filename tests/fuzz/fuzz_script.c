/* The script reader, and the reader of requests: any JSON is taken or refused with a reason. */
#include "mock-provider/dialect.h"
#include "mock-provider/provider.h"
#include "json/json.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_script(const cJSON *json)
{
    char err[200] = "";
    if (provider_check_script(json, err, sizeof err) < 0 && !*err)
        abort();
}

static void check_request(const cJSON *json)
{
    struct fault fault = {0};
    cJSON *neutral = cJSON_CreateObject();
    if (neutral && dialect_openai_chat.read(json, neutral, &fault) < 0 && !*fault.text)
        abort();
    cJSON_Delete(neutral);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    cJSON *json;
    char *text = malloc(size + 1);
    if (!text)
        return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    if (json_parse(text, size, &json, NULL) == 0) {
        check_script(json);
        check_request(json);
        cJSON_Delete(json);
    }
    free(text);
    return 0;
}
