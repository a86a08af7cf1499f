#include "agent/llm.h"

#include "base/err.h"

#include "json/jsonw.h"

#include <string.h>

/* Every dialect, once. */
#define DIALECTS(X)                                                                                \
    X(llm_openai_chat)                                                                             \
    X(llm_openai_responses)                                                                        \
    X(llm_anthropic)                                                                               \
    X(llm_gemini)

static const struct llm_dialect *const dialects[] = {
#define X(dialect) &dialect,
    DIALECTS(X)
#undef X
};

const struct llm_dialect *llm_find_dialect(const char *name)
{
    for (size_t i = 0; i < ARRAY_LEN(dialects); i++)
        if (strcmp(dialects[i]->name, name) == 0)
            return dialects[i];
    return NULL;
}

int llm_list_dialects(struct buf *out)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < ARRAY_LEN(dialects); i++)
        rc = buf_addf(out, "%s%s", i > 0 ? ", " : "", dialects[i]->name);
    return rc;
}

void llm_write_tool(struct jsonw *w, const struct llm_tool *tool, const char *schema_name)
{
    jw_kstr(w, "name", tool->name);
    jw_kstr(w, "description", tool->description);
    jw_key(w, schema_name);
    jw_raw(w, tool->schema, strlen(tool->schema));
}
