/* Reads a turn's "wire": the shape of its answer. */
#include "base/err.h"
#include "script_check.h"
#include "json/json.h"

#include <string.h>

struct flag {
    const char *name;
    size_t at;
    bool value; /* what the script has to say: {"space": false} */
};

#define AT(member) offsetof(struct shape, member)

static const struct flag flags[] = {
    {"bom", AT(bom), true},
    {"space", AT(no_space), false},
    {"comments", AT(comments), true},
    {"empty_data", AT(empty_data), true},
    {"fields", AT(fields), true},
    {"multiline", AT(multiline), true},
    {"event_lines", AT(no_event_lines), false},
    {"last_blank", AT(no_last_blank), false},
    {"finish_twice", AT(finish_twice), true},
    {"trailing", AT(trailing), true},
    {"extra", AT(extra), true},
    {"unknown", AT(unknown), true},
    {"pings", AT(pings), true},
    {"whole", AT(whole), true},
    {"gzip", AT(gzip), true},
    {"extension", AT(extension), true},
};

static const struct {
    const char *name;
    size_t at;
} numbers[] = {
    {"blank", AT(blank)}, {"huge", AT(huge)},     {"duplicate", AT(duplicate)},
    {"drop", AT(drop)},   {"garble", AT(garble)}, {"write", AT(write)},
    {"pause", AT(pause)}, {"length", AT(length)},
};

static int read_flags(const struct script_place *p, const cJSON *wire, struct shape *s)
{
    for (size_t i = 0; i < ARRAY_LEN(flags); i++) {
        const cJSON *member = json_get(wire, flags[i].name);
        if (!member)
            continue;
        if (!cJSON_IsBool(member))
            return script_fail(p, "wire: %s must be true or false", flags[i].name);
        *(bool *)((char *)s + flags[i].at) = cJSON_IsTrue(member) == flags[i].value;
    }
    return 0;
}

static int read_numbers(const struct script_place *p, const cJSON *wire, struct shape *s)
{
    for (size_t i = 0; i < ARRAY_LEN(numbers); i++) {
        uint32_t *n = (uint32_t *)(void *)((char *)s + numbers[i].at);
        int rc = script_number(p, wire, numbers[i].name, n);
        if (rc < 0)
            return rc;
    }
    s->has_length = json_get(wire, "length") != NULL;
    return 0;
}

/* Which of the words the text is; -1: none. */
static int find_word(const cJSON *text, const char *const *words)
{
    for (int i = 0; words[i]; i++)
        if (cJSON_IsString(text) && strcmp(words[i], text->valuestring) == 0)
            return i;
    return -1;
}

static int read_stop(const struct script_place *p, const cJSON *wire, struct shape *s)
{
    static const char *const names[] = {"cut", "reset", "stall"};
    static const char *const members[] = {"bytes", "events", NULL};
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        const cJSON *at = json_get(wire, names[i]);
        if (!at)
            continue;
        if (s->stop)
            return script_fail(p, "wire: only one of cut, reset and stall");
        if (!cJSON_IsObject(at) || cJSON_GetArraySize(at) != 1)
            return script_fail(p, "wire: %s must be {\"bytes\": N} or {\"events\": N}", names[i]);
        s->stop = (enum shape_stop)(SHAPE_CUT + i);
        s->stop_by_events = json_get(at, "events") != NULL;
        int rc = script_members(p, at, members);
        if (rc == 0)
            rc = script_number(p, at, s->stop_by_events ? "events" : "bytes", &s->stop_at);
        if (rc < 0)
            return rc;
    }
    return 0;
}

static int read_words(const struct script_place *p, const cJSON *wire, struct shape *s)
{
    static const char *const ends[] = {"own", "lf", "crlf", "cr", NULL};
    const cJSON *eol = json_get(wire, "eol"), *type = json_get(wire, "type");
    int found = eol ? find_word(eol, ends) : SHAPE_EOL_OWN;
    if (found < 0)
        return script_fail(p, "wire: eol must be lf, crlf or cr");
    s->eol = (enum shape_eol)found;
    if (type && (!cJSON_IsString(type) || strpbrk(type->valuestring, "\r\n")))
        return script_fail(p, "wire: type must be a content type");
    s->type = json_get_str(wire, "type");
    return 0;
}

static int read_quirks(const struct script_place *p, const cJSON *wire, struct shape *s)
{
    /* in the order of enum shape_quirk */
    static const char *const words[] = {
        "index_zero", "no_index",    "id_each",     "id_empty",     "args_object",  "args_braces",
        "args_again", "interleaved", "finish_stop", "usage_each",   "reasoning",    "think_tags",
        "nulls",      "no_role",     "no_ids",      "empty_deltas", "finish_early", "role_each",
        "no_choices", "id_late",     "usage_last",  "args_whole",   "done_only",    "details",
        "no_done",    NULL};
    const cJSON *quirks = json_get(wire, "quirks"), *quirk;
    if (quirks && !cJSON_IsArray(quirks))
        return script_fail(p, "wire: quirks must be an array of names");
    cJSON_ArrayForEach(quirk, quirks)
    {
        int found = find_word(quirk, words);
        if (found < 0)
            return script_fail(p, "wire: quirks: \"%.40s\" is none",
                               cJSON_IsString(quirk) ? quirk->valuestring : "");
        s->quirks |= 1u << found;
    }
    return 0;
}

static int read_chaos(const struct script_place *p, const cJSON *wire, enum chaos *ret)
{
    static const char *const words[] = {"none", "legal", "hostile", NULL};
    const cJSON *chaos = json_get(wire, "chaos");
    int found = chaos ? find_word(chaos, words) : CHAOS_NONE;
    if (found < 0)
        return script_fail(p, "wire: chaos must be legal or hostile");
    *ret = (enum chaos)found;
    return 0;
}

int script_read_wire(const struct script_place *p, const cJSON *obj, struct shape *shape,
                     enum chaos *chaos)
{
    static const char *const members[] = {
        "bom",          "space", "comments", "empty_data", "fields",   "multiline", "event_lines",
        "last_blank",   "blank", "huge",     "duplicate",  "drop",     "garble",    "write",
        "finish_twice", "pause", "length",   "cut",        "reset",    "stall",     "eol",
        "type",         "chaos", "quirks",   "note",       "trailing", "extra",     "unknown",
        "pings",        "whole", "gzip",     "extension",  NULL};
    const cJSON *wire = json_get(obj, "wire");
    if (!wire)
        return 0;
    if (!cJSON_IsObject(wire))
        return script_fail(p, "wire must be an object");
    *shape = (struct shape){.any = true};
    int rc = script_members(p, wire, members);
    if (rc == 0)
        rc = read_flags(p, wire, shape);
    if (rc == 0)
        rc = read_numbers(p, wire, shape);
    if (rc == 0)
        rc = read_stop(p, wire, shape);
    if (rc == 0)
        rc = read_words(p, wire, shape);
    if (rc == 0)
        rc = read_quirks(p, wire, shape);
    return rc < 0 ? rc : read_chaos(p, wire, chaos);
}
