#ifndef JSON_MATCH_OPS_H
#define JSON_MATCH_OPS_H

#include <cjson/cJSON.h>
#include <stdbool.h>

/* The operators of the pattern language: what they are called and what they want. Only json/match.c
 * and json/match_check.c need this. */
enum match_op {
    MATCH_ANY,
    MATCH_ABSENT,
    MATCH_TYPE,
    MATCH_REGEX,
    MATCH_IN,
    MATCH_NOT,
    MATCH_ALL,
    MATCH_HAS,
    MATCH_LEN,
    MATCH_MIN,
    MATCH_MAX,
    MATCH_OP_COUNT
};

struct match_op_info {
    const char *name;
    enum match_op op;
    const char *words; /* what was expected; the argument follows unless bare */
    bool bare;
    const char *fault; /* what is wrong with an argument of another form */
};

/* True for an object with one member whose name starts with '$'. */
bool match_is_operator(const cJSON *pattern);

/* NULL: no such operator. */
const struct match_op_info *match_op_find(const char *name);

/* NULL if the argument has the right form; a regular expression and inner patterns are not looked
 * into. Static. */
const char *match_op_fault(const struct match_op_info *op, const cJSON *arg);

#endif
