#ifndef JSON_POINTER_H
#define JSON_POINTER_H

#include <cjson/cJSON.h>

/*
 * Changing a tree at an RFC 6901 pointer (reading: json_pointer in json/json.h). The parent has to
 * be there. E_INVALID: the text is no pointer; E_NOTFOUND: it leads nowhere; E_NOMEM. After a
 * failure the tree is as it was.
 */

/* Replaces what stands there, or adds a member to an object, or (index == length, or "-") an
 * element to an array. Takes value, whatever happens. "" replaces the content of root itself. */
int json_pointer_set(cJSON *root, const char *pointer, cJSON *value);

/* As set, but an array element is put before the one of that index. */
int json_pointer_add(cJSON *root, const char *pointer, cJSON *value);

/* "" is E_INVALID: a root cannot be removed from itself. */
int json_pointer_remove(cJSON *root, const char *pointer);

#endif
