#include "agent/mode.h"

#include <stddef.h>
#include <string.h>

#define X(id, word, name, description) [id] = {word, name, description},
static const struct choice modes[MODE_COUNT] = {MODES(X)};
static const struct choice works[WORK_COUNT] = {WORKS(X)};
static const struct choice approvals[APPROVAL_COUNT] = {APPROVALS(X)};
#undef X

static int find(const struct choice *list, int n, const char *value)
{
    for (int i = 0; i < n; i++)
        if (strcmp(list[i].value, value) == 0)
            return i;
    return -1;
}

const struct choice *mode_choice(enum mode m)
{
    return &modes[m];
}

const struct choice *work_choice(enum work w)
{
    return &works[w];
}

const struct choice *approval_choice(enum approval a)
{
    return &approvals[a];
}

int mode_find(const char *value)
{
    return find(modes, MODE_COUNT, value);
}

int work_find(const char *value)
{
    return find(works, WORK_COUNT, value);
}

int approval_find(const char *value)
{
    return find(approvals, APPROVAL_COUNT, value);
}

const char *mode_note(enum mode is, enum mode was)
{
    static const char *const notes[MODE_COUNT] = {
        [MODE_NORMAL] = "[From now on the mode is normal: changes are allowed again.]",
        [MODE_PLAN] = "[From now on the mode is plan: look and think, but change nothing, and end "
                      "with a plan that the user can agree to.]",
        [MODE_GOAL] = "[From now on the mode is goal: what the user asks for is a goal. Go on "
                      "without asking back until it is reached or cannot be, and say so with the "
                      "tool update_goal.]",
    };
    return is == was ? NULL : notes[is];
}

const char *work_note(enum work is, enum work was)
{
    static const char *const notes[WORK_COUNT] = {
        [WORK_ECONOMY] = "[From now on be economical: as few steps and words as the task allows.]",
        [WORK_BALANCED] = "[From now on use your own judgement of how much work a task needs.]",
        [WORK_DELIVERY] = ("[From now on deliver: begin with a short plan, keep to it, and check "
                           "the result before you say that it is done, or say why you could not.]"),
    };
    return is == was ? NULL : notes[is];
}

const char *mode_refusal(enum mode m, enum acp_tool_kind kind)
{
    bool harmless = kind == ACP_KIND_READ || kind == ACP_KIND_SEARCH || kind == ACP_KIND_THINK ||
                    kind == ACP_KIND_FETCH;
    if (m != MODE_PLAN || harmless)
        return NULL;
    return "Refused: the mode is plan, which changes nothing.";
}
