#include "agent/llm.h"
#include "agent/llm_error.h"
#include "agent/llm_openai.h"
#include "agent/llm_reader.h"

#include "base/err.h"
#include "json/jsonw.h"

#include <stdlib.h>
#include <string.h>

void llm_reply_deinit(struct llm_reply *r)
{
    history_free_calls(r->calls, r->n_calls);
    *r = (struct llm_reply){0};
}

static int write_url(const struct llm_target *to, struct buf *out)
{
    return buf_addf(out, "%s/chat/completions", to->base);
}

int llm_openai_write_auth(const struct llm_target *to, struct buf *out)
{
    return *to->key ? buf_addf(out, "Authorization: Bearer %s", to->key) : 0;
}

static void write_call(struct jsonw *w, const struct history_call *c)
{
    jw_open(w, '{');
    jw_kstr(w, "id", c->id);
    jw_kstr(w, "type", "function");
    jw_kopen(w, "function", '{');
    jw_kstr(w, "name", c->name);
    jw_kstr(w, "arguments", c->args);
    jw_close(w);
    if (c->extra && !llm_is_kept(c->extra)) {
        jw_key(w, "extra_content");
        jw_raw(w, c->extra, strlen(c->extra));
    }
    jw_close(w);
}

static void write_calls(struct jsonw *w, const struct history_message *m, bool echo_thought)
{
    if (m->n_calls == 0)
        return;
    /* DeepSeek refuses a history whose tool-calling messages lack it, even if it was empty. */
    if (echo_thought)
        jw_kstr(w, "reasoning_content", m->thought ? m->thought : "");
    jw_kopen(w, "tool_calls", '[');
    for (size_t i = 0; i < m->n_calls; i++)
        write_call(w, &m->calls[i]);
    jw_close(w);
}

static void write_text_part(struct jsonw *w, const char *text)
{
    jw_open(w, '{');
    jw_kstr(w, "type", "text");
    jw_kstr(w, "text", text);
    jw_close(w);
}

void llm_openai_write_url(struct jsonw *w, const char *name, const struct media *m)
{
    struct buf url = {0};
    int rc = buf_addf(&url, "data:%s;base64,%s", m->type, m->data);
    if (rc == 0) {
        jw_key(w, name);
        jw_str(w, url.p, url.n);
    } else {
        w->err = rc;
    }
    buf_deinit(&url);
}

static void write_media(struct jsonw *w, const struct media *m)
{
    bool image = m->kind == MEDIA_IMAGE;
    jw_open(w, '{');
    jw_kstr(w, "type", image ? "image_url" : "input_audio");
    jw_kopen(w, image ? "image_url" : "input_audio", '{');
    if (image) {
        llm_openai_write_url(w, "url", m);
    } else {
        jw_kstr(w, "data", m->data);
        jw_kstr(w, "format", strstr(m->type, "wav") ? "wav" : "mp3");
    }
    jw_close(w);
    jw_close(w);
}

/* A model chosen later may not take what an earlier one did: it is told that something was there.
 */
static void write_parts(struct jsonw *w, const struct history_message *m, unsigned input)
{
    jw_kopen(w, "content", '[');
    if (*m->text)
        write_text_part(w, m->text);
    for (size_t i = 0; i < m->media.n; i++) {
        const struct media *one = &m->media.items[i];
        if (one->kind & input)
            write_media(w, one);
        else
            write_text_part(w, media_placeholder(one->kind));
    }
    jw_close(w);
}

static void write_message(struct jsonw *w, const struct history_message *m,
                          const struct llm_target *to)
{
    static const char *const roles[] = {
        [HISTORY_USER] = "user", [HISTORY_ASSISTANT] = "assistant", [HISTORY_TOOL] = "tool"};
    jw_open(w, '{');
    jw_kstr(w, "role", roles[m->role]);
    if (m->call_id)
        jw_kstr(w, "tool_call_id", m->call_id);
    if (m->media.n > 0)
        write_parts(w, m, to->input);
    else /* null is allowed only beside tool calls */
        jw_kstr(w, "content", m->n_calls > 0 && !*m->text ? NULL : m->text);
    write_calls(w, m, to->echo_thought);
    jw_close(w);
}

static void write_messages(struct jsonw *w, const struct llm_request *req)
{
    jw_kopen(w, "messages", '[');
    jw_open(w, '{');
    jw_kstr(w, "role", "system");
    jw_kstr(w, "content", req->system);
    jw_close(w);
    for (size_t i = 0; i < req->history->n; i++)
        write_message(w, &req->history->messages[i], req->to);
    jw_close(w);
}

static void write_tools(struct jsonw *w, const struct llm_request *req)
{
    if (req->n_tools == 0)
        return; /* an empty list is refused */
    jw_kopen(w, "tools", '[');
    for (size_t i = 0; i < req->n_tools; i++) {
        jw_open(w, '{');
        jw_kstr(w, "type", "function");
        jw_kopen(w, "function", '{');
        llm_write_tool(w, req->tools[i], "parameters");
        jw_close(w);
        jw_close(w);
    }
    jw_close(w);
}

static int write_body(const struct llm_request *req, struct buf *out)
{
    struct jsonw w;
    jw_begin(&w, out);
    jw_open(&w, '{');
    jw_kstr(&w, "model", req->to->model);
    jw_kbool(&w, "stream", true);
    jw_kopen(&w, "stream_options", '{');
    jw_kbool(&w, "include_usage", true);
    jw_close(&w);
    if (req->max_tokens > 0)
        jw_kint(&w, req->to->max_tokens_name, req->max_tokens);
    if (req->to->effort)
        jw_kstr(&w, "reasoning_effort", req->to->effort);
    write_tools(&w, req);
    write_messages(&w, req);
    jw_close(&w);
    return jw_end(&w);
}

const struct llm_dialect llm_openai_chat = {
    .name = "openai-chat",
    .write_url = write_url,
    .write_auth = llm_openai_write_auth,
    .write_body = write_body,
    .reader_create = llm_openai_reader_create,
    .reader_feed = llm_reader_feed,
    .reader_finish = llm_reader_finish,
    .reader_destroy = llm_reader_destroy,
    .read_error = llm_error_from_body,
};
