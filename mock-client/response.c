#include "mock-client/response.h"

void response_begin(struct jsonw *w, struct buf *out, struct json_slice id)
{
    jw_begin(w, out);
    jw_open(w, '{');
    jw_kstr(w, "jsonrpc", "2.0");
    jw_key(w, "id");
    jw_raw(w, id.p, id.n);
}

int response_end(struct jsonw *w)
{
    jw_close(w);
    return jw_end(w);
}

int response_empty(struct json_slice id, struct buf *out)
{
    struct jsonw w;
    response_begin(&w, out, id);
    jw_kopen(&w, "result", '{');
    jw_close(&w);
    return response_end(&w);
}

int response_error(struct json_slice id, const struct response_error *error, struct buf *out)
{
    struct jsonw w;
    response_begin(&w, out, id);
    jw_kopen(&w, "error", '{');
    jw_kint(&w, "code", error->code);
    jw_kstr(&w, "message", error->message);
    if (error->key) {
        jw_kopen(&w, "data", '{');
        jw_kstr(&w, error->key, error->value);
        jw_close(&w);
    }
    jw_close(&w);
    return response_end(&w);
}
