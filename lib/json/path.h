#ifndef JSON_PATH_H
#define JSON_PATH_H

#include <stdbool.h>
#include <stddef.h>

/*
 * The pointer of the place where a walk through a tree stands, kept in a fixed buffer: entering
 * appends, leaving goes back to the length that entering returned. What does not fit is cut with
 * "..." and nothing is appended behind that.
 */
struct json_path {
    char text[160];
    size_t n;
    bool full;
};

/* Returns the length to give to json_path_leave. */
size_t json_path_enter(struct json_path *path, const char *name);
size_t json_path_enter_index(struct json_path *path, size_t index);
void json_path_leave(struct json_path *path, size_t n);

#endif
