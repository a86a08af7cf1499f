#ifndef JSON_MEMBER_H
#define JSON_MEMBER_H

#include "json/scan.h"

/* The raw member `name` of an object inside a text that json_scan has accepted; of duplicate names
 * the last one counts. Kind JSON_KIND_NONE if it is absent or `object` is no object. For what has
 * to be kept as bytes (ids); everything else is read through json/json.h. */
struct json_slice json_slice_member(struct json_slice object, const char *name);

#endif
