#include "agent/update.h"

#include "agent/store.h"

#include <string.h>

static struct jsonw *begin(struct update_to to, enum acp_session_update kind)
{
    struct jsonw *w = peer_notify_begin(to.peer, acp_methods[ACP_SESSION_UPDATE].name);
    jw_open(w, '{');
    jw_kstr(w, "sessionId", to.session_id);
    jw_kopen(w, "update", '{');
    jw_kstr(w, "sessionUpdate", acp_session_update_name(kind));
    return w;
}

static int end(struct update_to to, struct jsonw *w)
{
    jw_close(w);
    jw_close(w);
    return peer_notify_end(to.peer);
}

static void write_text_block(struct jsonw *w, const char *p, size_t n)
{
    jw_kopen(w, "content", '{');
    jw_kstr(w, "type", acp_content_name(ACP_CONTENT_TEXT));
    jw_key(w, "text");
    jw_str(w, p, n);
    jw_close(w);
}

static enum acp_session_update kind_of(const struct update_text *text)
{
    return text->kind == LLM_TEXT ? ACP_UPDATE_AGENT_MESSAGE_CHUNK : ACP_UPDATE_AGENT_THOUGHT_CHUNK;
}

int update_text(struct update_to to, const struct update_text *text)
{
    struct jsonw *w = begin(to, kind_of(text));
    jw_kstr(w, "messageId", text->message_id);
    write_text_block(w, text->p, text->n);
    return end(to, w);
}

static void write_location(struct jsonw *w, const struct tool_call *c)
{
    jw_kopen(w, "locations", '[');
    jw_open(w, '{');
    jw_kstr(w, "path", c->path);
    if (c->line > 0)
        jw_kint(w, "line", c->line);
    jw_close(w);
    jw_close(w);
}

void update_write_diff(struct jsonw *w, const char *path, const struct tool_diff *d)
{
    jw_open(w, '{');
    jw_kstr(w, "type", acp_tool_content_name(ACP_TOOL_CONTENT_DIFF));
    jw_kstr(w, "path", path);
    jw_kstr(w, "oldText", d->old_text); /* NULL writes null: there was no file */
    jw_kstr(w, "newText", d->new_text);
    jw_close(w);
}

static void write_title(struct jsonw *w, const struct tool_call *c)
{
    struct buf title = {0};
    if (buf_addf(&title, "%s%s", c->title, c->outside ? " (outside the workspace)" : "") == 0) {
        jw_key(w, "title");
        jw_str(w, title.p, title.n);
    }
    buf_deinit(&title);
}

void update_write_call(struct jsonw *w, const struct tool_call *c)
{
    write_title(w, c);
    jw_kstr(w, "kind", acp_tool_kind_name(c->tool ? c->tool->kind : ACP_KIND_OTHER));
    jw_kstr(w, "status", acp_tool_status_name(ACP_TOOL_PENDING));
    if (c->args)
        jw_ktree(w, "rawInput", c->args);
    if (c->path)
        write_location(w, c);
}

int update_tool_running(struct update_to to, const char *id, const struct tool_call *c)
{
    struct jsonw *w = begin(to, ACP_UPDATE_TOOL_CALL_UPDATE);
    jw_kstr(w, "toolCallId", id);
    jw_kstr(w, "status", acp_tool_status_name(ACP_TOOL_IN_PROGRESS));
    if (c->diff.known) {
        jw_kopen(w, "content", '[');
        update_write_diff(w, c->path, &c->diff);
        jw_close(w);
    }
    return end(to, w);
}

int update_tool_terminal(struct update_to to, const char *id, const char *terminal_id)
{
    struct jsonw *w = begin(to, ACP_UPDATE_TOOL_CALL_UPDATE);
    jw_kstr(w, "toolCallId", id);
    jw_kstr(w, "status", acp_tool_status_name(ACP_TOOL_IN_PROGRESS));
    jw_kopen(w, "content", '[');
    jw_open(w, '{');
    jw_kstr(w, "type", acp_tool_content_name(ACP_TOOL_CONTENT_TERMINAL));
    jw_kstr(w, "terminalId", terminal_id);
    jw_close(w);
    jw_close(w);
    return end(to, w);
}

static void open_object(struct jsonw *w, struct buf *out, enum acp_session_update kind)
{
    jw_begin(w, out);
    jw_open(w, '{');
    jw_kstr(w, "sessionUpdate", acp_session_update_name(kind));
}

int update_write_text(struct buf *out, const struct update_text *text)
{
    struct jsonw w;
    open_object(&w, out, kind_of(text));
    jw_kstr(&w, "messageId", text->message_id);
    write_text_block(&w, text->p, text->n);
    jw_close(&w);
    return jw_end(&w);
}

int update_write_tool_call(struct buf *out, const char *id, const struct tool_call *c,
                           const char *name)
{
    struct jsonw w;
    open_object(&w, out, ACP_UPDATE_TOOL_CALL);
    jw_kstr(&w, "toolCallId", id);
    jw_kstr(&w, "name", name);
    update_write_call(&w, c);
    jw_close(&w);
    return jw_end(&w);
}

int update_write_tool_result(struct buf *out, const char *id, const struct tool_result *result)
{
    struct jsonw w;
    open_object(&w, out, ACP_UPDATE_TOOL_CALL_UPDATE);
    jw_kstr(&w, "toolCallId", id);
    jw_kstr(&w, "status",
            acp_tool_status_name(result->failed ? ACP_TOOL_FAILED : ACP_TOOL_COMPLETED));
    jw_kopen(&w, "content", '[');
    if (result->diff)
        update_write_diff(&w, result->path, result->diff);
    if (result->content) {
        jw_raw(&w, result->content, strlen(result->content));
    } else {
        jw_open(&w, '{');
        jw_kstr(&w, "type", acp_tool_content_name(ACP_TOOL_CONTENT_CONTENT));
        write_text_block(&w, result->text, strlen(result->text));
        jw_close(&w);
    }
    jw_close(&w);
    if (result->raw)
        jw_ktree(&w, "rawOutput", result->raw);
    jw_close(&w);
    return jw_end(&w);
}

int update_write_tool_progress(struct buf *out, const char *id, const char *text)
{
    struct jsonw w;
    open_object(&w, out, ACP_UPDATE_TOOL_CALL_UPDATE);
    jw_kstr(&w, "toolCallId", id);
    jw_kstr(&w, "status", acp_tool_status_name(ACP_TOOL_IN_PROGRESS));
    jw_kopen(&w, "content", '[');
    jw_open(&w, '{');
    jw_kstr(&w, "type", acp_tool_content_name(ACP_TOOL_CONTENT_CONTENT));
    write_text_block(&w, text, strlen(text));
    jw_close(&w);
    jw_close(&w);
    jw_close(&w);
    return jw_end(&w);
}

int update_write_usage(struct buf *out, int64_t used, uint64_t size)
{
    struct jsonw w;
    open_object(&w, out, ACP_UPDATE_USAGE_UPDATE);
    jw_kint(&w, "used", used);
    jw_key(&w, "size");
    jw_uint(&w, size);
    jw_close(&w);
    return jw_end(&w);
}

int update_raw(struct update_to to, const char *json, size_t n)
{
    struct jsonw *w = peer_notify_begin(to.peer, acp_methods[ACP_SESSION_UPDATE].name);
    jw_open(w, '{');
    jw_kstr(w, "sessionId", to.session_id);
    jw_key(w, "update");
    jw_raw(w, json, n);
    jw_close(w);
    return peer_notify_end(to.peer);
}

int update_user_block(struct update_to to, const char *message_id, const cJSON *block)
{
    struct jsonw *w = begin(to, ACP_UPDATE_USER_MESSAGE_CHUNK);
    jw_kstr(w, "messageId", message_id);
    jw_ktree(w, "content", block);
    return end(to, w);
}

int update_session_info(struct update_to to, const char *title, int64_t updated_ms)
{
    char time[STORE_TIME_SIZE];
    struct jsonw *w = begin(to, ACP_UPDATE_SESSION_INFO_UPDATE);
    if (title)
        jw_kstr(w, "title", title);
    jw_kstr(w, "updatedAt", store_format_time(updated_ms, time));
    return end(to, w);
}

int update_notice(struct update_to to, const char *severity, const char *title)
{
    struct jsonw *w = begin(to, ACP_UPDATE_NOTICE);
    jw_kstr(w, "severity", severity);
    jw_kstr(w, "title", title);
    return end(to, w);
}
