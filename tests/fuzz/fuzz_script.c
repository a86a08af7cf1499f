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

/* What is there before a dialect reads on: enough for each of them to get to the body. */
static cJSON *make_neutral(void)
{
    static const char text[] =
        "{\"path\":\"/v1beta/models/m:generateContent\",\"headers\":{\"x-goog-api-key\":\"k\","
        "\"x-api-key\":\"k\",\"anthropic-version\":\"2026-10-21\"}}";
    cJSON *neutral = NULL;
    return json_parse(text, sizeof text - 1, &neutral, NULL) == 0 ? neutral : NULL;
}

static void check_request(const struct dialect *d, const cJSON *json)
{
    struct fault fault = {0};
    cJSON *neutral = make_neutral();
    if (neutral && d->read(json, neutral, &fault) < 0 && !*fault.text)
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
        check_request(&dialect_openai_chat, json);
        check_request(&dialect_openai_responses, json);
        check_request(&dialect_anthropic, json);
        check_request(&dialect_gemini, json);
        cJSON_Delete(json);
    }
    free(text);
    return 0;
}
