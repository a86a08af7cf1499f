/* How replies end: streams, answers in one piece, answers by status, errors. */
#include "internal.h"

#include "base/err.h"
#include "json/json.h"
#include "json/jsonw.h"

#include <string.h>

static const char json_type[] = "application/json";

/* --- streams --- */

void reply_flush(struct reply *r)
{
    if (!r->streamed || r->out.n == 0)
        return;
    send_begin(r, 200, r->dialect->stream_type);
    send_bytes(r, r->out.p, r->out.n, true);
    r->out.n = 0;
}

void reply_end(struct reply *r)
{
    reply_flush(r);
    send_begin(r, 200, r->dialect->stream_type); /* even if the script had nothing to say */
    send_finish(r, SEND_END);
}

/* --- the ending --- */

/* Four bytes make a token: nobody's tokenizer, but the same every time. */
size_t finish_count(const cJSON *neutral)
{
    const char *system = json_get_str(neutral, "system"), *text;
    size_t n = system ? strlen(system) : 0;
    const cJSON *m;
    cJSON_ArrayForEach(m, json_get(neutral, "messages"))
    {
        text = json_get_str(m, "text");
        n += text ? strlen(text) : 0;
    }
    return n / 4 + 1;
}

struct usage finish_usage(const struct reply *r)
{
    if (r->turn->usage.mode != USAGE_DERIVED)
        return r->turn->usage;
    return (struct usage){
        .input = (uint32_t)finish_count(r->neutral),
        .output = (uint32_t)(r->output_n / 4 + 1),
        .thought = (uint32_t)(r->thought_n / 4),
    };
}

static struct ending make_ending(const struct reply *r)
{
    const struct turn *t = r->turn;
    struct ending e = {.finish = t->finish,
                       .word = t->finish_word,
                       .usage = finish_usage(r),
                       .done_mark = !r->no_done &&
                                    (r->dialect->counted || !(r->shape.quirks & QUIRK_NO_DONE))};
    if (e.finish == FINISH_DEFAULT)
        e.finish =
            r->called && !(r->shape.quirks & QUIRK_FINISH_STOP) ? FINISH_TOOL_CALLS : FINISH_STOP;
    e.has_usage = t->usage.mode == USAGE_GIVEN ||
                  (t->usage.mode == USAGE_DERIVED &&
                   (!r->streamed || json_get_bool(r->neutral, "usage_wanted")));
    return e;
}

int finish_stream(struct reply *r)
{
    struct ending e = make_ending(r), first = e;
    first.has_usage = false;
    first.done_mark = r->dialect->counted; /* there, the finish is the end mark */
    int rc = r->shape.finish_twice ? r->dialect->end(&r->writer, &first) : 0;
    if (rc == 0)
        rc = r->dialect->end(&r->writer, &e);
    if (rc == 0)
        reply_end(r);
    return rc;
}

/* --- answers in one piece --- */

static void answer_with(struct reply *r, int status, const char *type)
{
    if (r->shape.any) {
        send_begin(r, status, type);
        send_bytes(r, r->out.p, r->out.n, false);
        send_finish(r, SEND_END);
        return;
    }
    const struct httpd_reply reply = {
        .status = status,
        .content_type = type,
        .headers = r->turn ? r->turn->headers : NULL,
        .header_n = r->turn ? r->turn->header_n : 0,
        .body = r->out.p,
        .body_n = r->out.n,
    };
    httpd_answer(r->req, &reply);
}

int finish_whole_body(struct reply *r)
{
    if (r->raw_body)
        return 0;
    if (!r->calls && !(r->calls = cJSON_CreateArray()))
        return E_NOMEM;
    r->whole.calls = r->calls;
    r->whole.end = make_ending(r);
    return r->dialect->whole(&r->writer, &r->whole);
}

int finish_whole(struct reply *r)
{
    int rc = finish_whole_body(r);
    if (rc == 0)
        answer_with(r, 200, json_type);
    return rc;
}

int finish_fault(struct reply *r, const struct fault *fault)
{
    int rc = r->dialect->write_fault(&r->out, fault);
    if (rc == 0)
        answer_with(r, fault->status, json_type);
    return rc;
}

/* --- answers by status --- */

static int answer_default(struct reply *r)
{
    struct fault fault;
    fault_set(&fault, r->turn->status, "", "acp-mock-provider: the script answers with status %d",
              r->turn->status);
    return finish_fault(r, &fault);
}

int finish_plain(struct reply *r)
{
    const cJSON *body = r->turn->body;
    const char *type = cJSON_IsString(body) ? "text/plain" : json_type;
    struct jsonw w;
    int rc;
    if (!body)
        return answer_default(r);
    if (cJSON_IsString(body)) {
        rc = buf_adds(&r->out, body->valuestring);
    } else {
        jw_begin(&w, &r->out);
        jw_tree(&w, body);
        rc = jw_end(&w);
    }
    if (rc == 0)
        answer_with(r, r->turn->status, type);
    return rc;
}
