#ifndef JSON_MATCH_H
#define JSON_MATCH_H

#include "json/json.h"

/*
 * The pattern language of docs/cases.md: a JSON value compared with a pattern that is JSON too. An
 * object whose only member's name starts with '$' is an operator. Two things the page leaves open:
 * "$len" counts the elements of an array, the members of an object and the characters of a string;
 * operators see absent values as well, so {"$not": P} holds for a value that is absent unless P
 * allows that.
 */

/* The first difference, for people. */
struct json_mismatch {
    char pointer[160];  /* in the value; "" is the value itself; ends in "..." if it was too long */
    char expected[256]; /* "text matching \"^a\"", or JSON; "..." at the end if cut */
    char got[256];      /* JSON; "nothing" if absent */
};

/*
 * 1: matches. 0: does not, *ret (may be NULL) says why. Negative (E_NOMEM): could not tell. value
 * == NULL is an absent value. A malformed pattern matches nothing; json_match_check finds those
 * beforehand.
 */
int json_match(const cJSON *pattern, const cJSON *value, struct json_mismatch *ret);

/* 0 if the pattern is well-formed, else E_INVALID with *reterr (may be NULL): its path is the
 * pointer in the pattern, "/result/$regex". E_NOMEM. */
int json_match_check(const cJSON *pattern, struct json_error *reterr);

#endif
