#include "agent/record.h"
#include "agent/turn_impl.h"

#include "base/err.h"
#include "base/log.h"

#include <stdio.h>
#include <string.h>

#define MAX_TRIES    4      /* after the first one */
#define MAX_PAUSE_MS 8000u  /* of our own choosing */
#define MAX_WAIT_MS  60000u /* that a provider may ask for */
#define NOTABLE_MS   1000u  /* a pause that everybody is told of */

static bool may_try_again(const struct turn *t, const struct llm_error *e)
{
    return e->retry && !t->shown_now && t->tries < MAX_TRIES &&
           !(e->has_wait && e->wait_ms > MAX_WAIT_MS);
}

static uint64_t pause_ms(const struct turn *t, const struct llm_error *e)
{
    if (e->has_wait)
        return e->wait_ms;
    uint64_t ms = t->env->config.retry_ms << t->tries;
    if (ms > MAX_PAUSE_MS)
        ms = MAX_PAUSE_MS;
    return ms - uv_hrtime() % (ms / 4 + 1); /* so that many agents do not come back at once */
}

/* What was shown is shown again by session/load. */
static int keep(struct turn *t, struct buf *update)
{
    struct store_entry e = {.kind = STORE_UPDATE, .shown = buf_cstr(update)};
    return e.shown ? record_entries(t->s, &e, 1) : 0;
}

void turn_tell_as_thought(struct turn *t, const char *said)
{
    char id[SESSION_WIRE_ID_MAX];
    struct buf update = {0};
    struct update_text text = {.kind = LLM_THOUGHT, .p = said, .n = strlen(said)};
    text.message_id = session_wire_id(t->s, "aside", ++t->s->asides, id);
    int rc = update_write_text(&update, &text);
    if (rc == 0)
        rc = update_raw(session_updates(t->s), update.p, update.n);
    if (rc == 0)
        rc = keep(t, &update);
    if (rc < 0)
        log_warn("a message of the agent is not kept: %s", record_error(t->env, rc));
    buf_deinit(&update);
}

static void tell(struct turn *t, const struct llm_error *e, uint64_t ms)
{
    char text[sizeof e->text + 96];
    snprintf(text, sizeof text, "The model did not answer (%s). Trying again in %.1f s.", e->text,
             (double)ms / 1000);
    log_warn("%s", text);
    if (t->env->notices)
        update_notice(session_updates(t->s), "warning", text);
    else if (t->tries > 0 || ms >= NOTABLE_MS)
        turn_tell_as_thought(t, text);
}

static void on_timer(uv_timer_t *timer)
{
    turn_request_model(CONTAINER_OF(timer, struct turn, timer));
}

void turn_try_again(struct turn *t, const struct llm_error *e)
{
    if (!may_try_again(t, e)) {
        turn_fail(t, e);
        return;
    }
    uint64_t ms = pause_ms(t, e);
    tell(t, e, ms);
    t->tries++;
    turn_move(t, TURN_WAIT);
    uv_timer_start(&t->timer, on_timer, ms, 0);
}
