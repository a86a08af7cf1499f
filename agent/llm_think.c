#include "agent/llm_think.h"

#include <string.h>

static const char open_tag[] = "<think>";
static const char close_tag[] = "</think>";

static bool is_blank(char c)
{
    return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

static void emit(struct llm_think *t, enum llm_text_kind kind, const char *p, size_t n)
{
    if (n > 0)
        t->on_text(t->ctx, kind, p, n);
}

/* It was no tag after all: what was held back is text. */
static void give_up(struct llm_think *t)
{
    emit(t, LLM_TEXT, t->blank, t->blanks);
    emit(t, LLM_TEXT, open_tag, t->held);
    t->held = t->blanks = 0;
    t->state = THINK_PASS;
}

/* Returns how many bytes were used. */
static size_t feed_start(struct llm_think *t, const char *p)
{
    if (is_blank(*p) && t->blanks < sizeof t->blank) {
        t->blank[t->blanks++] = *p;
        return 1;
    }
    if (*p == open_tag[0])
        t->state = THINK_OPENING;
    else
        give_up(t);
    return 0;
}

static size_t feed_opening(struct llm_think *t, const char *p)
{
    if (*p != open_tag[t->held]) {
        give_up(t);
        return 0;
    }
    if (open_tag[++t->held] == '\0') {
        t->held = t->blanks = 0;
        t->state = THINK_INSIDE;
    }
    return 1;
}

static size_t feed_inside(struct llm_think *t, const char *p, size_t n)
{
    if (t->held == 0) {
        const char *lt = memchr(p, close_tag[0], n);
        size_t plain = lt ? (size_t)(lt - p) : n;
        emit(t, LLM_THOUGHT, p, plain);
        t->held = lt ? 1 : 0;
        return lt ? plain + 1 : n;
    }
    if (*p != close_tag[t->held]) {
        emit(t, LLM_THOUGHT, close_tag, t->held);
        t->held = 0;
        return 0;
    }
    if (close_tag[++t->held] == '\0') {
        t->held = 0;
        t->state = THINK_AFTER;
    }
    return 1;
}

/* The blank lines between the thoughts and the answer belong to neither. */
static size_t feed_after(struct llm_think *t, const char *p)
{
    if (is_blank(*p))
        return 1;
    t->state = THINK_PASS;
    return 0;
}

void llm_think_feed(struct llm_think *t, const char *p, size_t n)
{
    while (n > 0) {
        size_t used = n;
        switch (t->state) {
        case THINK_START:
            used = feed_start(t, p);
            break;
        case THINK_OPENING:
            used = feed_opening(t, p);
            break;
        case THINK_INSIDE:
            used = feed_inside(t, p, n);
            break;
        case THINK_AFTER:
            used = feed_after(t, p);
            break;
        case THINK_PASS:
            emit(t, LLM_TEXT, p, n);
            break;
        }
        p += used;
        n -= used;
    }
}

void llm_think_finish(struct llm_think *t)
{
    if (t->state == THINK_START || t->state == THINK_OPENING)
        give_up(t);
    else if (t->state == THINK_INSIDE)
        emit(t, LLM_THOUGHT, close_tag, t->held);
    t->held = 0;
    t->state = THINK_PASS;
}
