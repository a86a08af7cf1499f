#include "agent/prompt.h"

#include "acp/check.h"
#include "base/buf.h"
#include "base/err.h"
#include "json/jsonw.h"

static void copy_text(struct jsonw *w, const cJSON *from, const char *name)
{
    const char *text = json_get_str(from, name);
    if (text)
        jw_kstr(w, name, text);
}

/* A block whose optional members are broken was taken without them: so it is shown. */
static void write_essence(struct jsonw *w, const cJSON *block)
{
    const cJSON *resource = json_get(block, "resource");
    jw_open(w, '{');
    copy_text(w, block, "type");
    copy_text(w, block, "text");
    copy_text(w, block, "uri");
    copy_text(w, block, "name");
    copy_text(w, block, "mimeType");
    copy_text(w, block, "data");
    if (cJSON_IsObject(resource)) {
        jw_kopen(w, "resource", '{');
        copy_text(w, resource, "uri");
        copy_text(w, resource, "text");
        copy_text(w, resource, "blob");
        jw_close(w);
    }
    jw_close(w);
}

char *prompt_write_shown(const cJSON *blocks)
{
    struct buf out = {0};
    struct jsonw w;
    const cJSON *block;
    int def = acp_def("ContentBlock");
    jw_begin(&w, &out);
    jw_open(&w, '[');
    cJSON_ArrayForEach(block, blocks)
    {
        if (acp_check_value(def, block, NULL) == 0)
            jw_tree(&w, block);
        else
            write_essence(&w, block);
    }
    jw_close(&w);
    char *text = jw_end(&w) == 0 ? buf_take(&out) : NULL;
    buf_deinit(&out);
    return text;
}
