#include "json/match.h"

#include "base/err.h"
#include "json/match_ops.h"
#include "json/path.h"

#include <regex.h>
#include <stdio.h>
#include <string.h>

struct checker {
    struct json_path path;
    struct json_error *reterr;
};

static int check_pattern(struct checker *c, const cJSON *pattern);

static int check_fail(struct checker *c, const char *fault)
{
    if (!c->reterr)
        return E_INVALID;
    memcpy(c->reterr->path, c->path.text, c->path.n + 1);
    snprintf(c->reterr->text, sizeof c->reterr->text, "%s%s%s", c->path.text,
             c->path.n > 0 ? ": " : "", fault);
    return E_INVALID;
}

static int check_regex(struct checker *c, const char *pattern)
{
    char fault[96];
    regex_t regex;
    int rc = regcomp(&regex, pattern, REG_EXTENDED | REG_NOSUB);
    if (rc == 0) {
        regfree(&regex);
        return 0;
    }
    if (rc == REG_ESPACE)
        return E_NOMEM;
    regerror(rc, &regex, fault, sizeof fault);
    return check_fail(c, fault);
}

static int check_children(struct checker *c, const cJSON *pattern)
{
    int rc = 0;
    size_t i = 0;
    for (const cJSON *p = pattern->child; p && rc == 0; p = p->next) {
        size_t before =
            p->string ? json_path_enter(&c->path, p->string) : json_path_enter_index(&c->path, i++);
        if (p->string && match_op_find(p->string))
            rc = check_fail(c, "an operator must be the only member; put several into $all");
        if (rc == 0)
            rc = check_pattern(c, p);
        json_path_leave(&c->path, before);
    }
    return rc;
}

static int check_operator(struct checker *c, const cJSON *arg)
{
    const struct match_op_info *op = match_op_find(arg->string);
    if (!op)
        return check_fail(c, "no such operator; there are $any $absent $type $regex $in $not $all "
                             "$has $len $min $max");
    const char *fault = match_op_fault(op, arg);
    if (fault)
        return check_fail(c, fault);
    if (op->op == MATCH_REGEX)
        return check_regex(c, arg->valuestring);
    if (op->op == MATCH_IN || op->op == MATCH_ALL)
        return check_children(c, arg);
    return op->op == MATCH_NOT || op->op == MATCH_HAS ? check_pattern(c, arg) : 0;
}

static int check_pattern(struct checker *c, const cJSON *pattern)
{
    if (!match_is_operator(pattern))
        return check_children(c, pattern);
    size_t before = json_path_enter(&c->path, pattern->child->string);
    int rc = check_operator(c, pattern->child);
    json_path_leave(&c->path, before);
    return rc;
}

int json_match_check(const cJSON *pattern, struct json_error *reterr)
{
    struct checker c = {.reterr = reterr};
    return check_pattern(&c, pattern);
}
