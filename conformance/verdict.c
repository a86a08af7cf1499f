#include "conformance/verdict.h"

#include "base/err.h"
#include "conformance/requirement.h"

#include <string.h>

static const char *const names[VERDICT_COUNT] = {
    [VERDICT_PASS] = "PASS", [VERDICT_INFO] = "INFO",   [VERDICT_NOT_EXERCISED] = "NOT-EXERCISED",
    [VERDICT_WARN] = "WARN", [VERDICT_ERROR] = "ERROR", [VERDICT_FAIL] = "FAIL",
    [VERDICT_SKIP] = "SKIP",
};

const char *verdict_name(enum verdict v)
{
    return names[v];
}

int verdict_find(const char *name)
{
    for (int v = 0; v < VERDICT_COUNT; v++)
        if (strcmp(names[v], name) == 0)
            return v;
    return -1;
}

enum verdict verdict_worse(enum verdict a, enum verdict b)
{
    return a > b ? a : b;
}

static bool one_of(const char *text, const char *const *set, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(text, set[i]) == 0)
            return true;
    return false;
}

enum verdict verdict_of_breach(const struct requirement *r)
{
    static const char *const duties[] = {"MUST", "MUST NOT", "SCHEMA"};
    static const char *const firm[] = {"keyword", "json-rpc", "schema"};
    if (!r)
        return VERDICT_ERROR;
    /* Rows that say "INFO: do this and record it" describe where the spec is silent. */
    if (strcmp(r->level, "MAY") == 0 || strstr(r->tag, "informative") ||
        strncmp(r->how, "INFO", 4) == 0)
        return VERDICT_INFO;
    bool fails =
        one_of(r->level, duties, ARRAY_LEN(duties)) && one_of(r->tag, firm, ARRAY_LEN(firm));
    return fails ? VERDICT_FAIL : VERDICT_WARN;
}

enum verdict verdict_strict(enum verdict v, bool strict)
{
    return strict && v == VERDICT_WARN ? VERDICT_FAIL : v;
}

enum exit_code verdict_exit_code(const unsigned counts[VERDICT_COUNT])
{
    unsigned executed = counts[VERDICT_PASS] + counts[VERDICT_INFO] + counts[VERDICT_WARN];
    if (counts[VERDICT_FAIL] > 0)
        return EXIT_DOES_NOT;
    if (counts[VERDICT_ERROR] > 0 || executed == 0)
        return EXIT_NO_VERDICT;
    return EXIT_CONFORMS;
}
