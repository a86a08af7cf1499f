#ifndef HTTP_FETCH_CURL_H
#define HTTP_FETCH_CURL_H

/* The variadic macros that check option types would call the linked library. */
#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>

/*
 * libcurl's functions, found by dlopen when the first request needs them. Private to lib/http.
 */
#define FETCH_CURL_FUNCTIONS(X)                                                                    \
    X(global_init)                                                                                 \
    X(global_cleanup)                                                                              \
    X(slist_append)                                                                                \
    X(slist_free_all)                                                                              \
    X(easy_init)                                                                                   \
    X(easy_cleanup)                                                                                \
    X(easy_setopt)                                                                                 \
    X(easy_getinfo)                                                                                \
    X(easy_pause)                                                                                  \
    X(easy_strerror)                                                                               \
    X(multi_init)                                                                                  \
    X(multi_cleanup)                                                                               \
    X(multi_setopt)                                                                                \
    X(multi_add_handle)                                                                            \
    X(multi_remove_handle)                                                                         \
    X(multi_assign)                                                                                \
    X(multi_info_read)                                                                             \
    X(multi_socket_action)

struct fetch_curl {
    void *library; /* NULL: not loaded */
#define X(name) __typeof__(curl_##name) *name;
    FETCH_CURL_FUNCTIONS(X)
#undef X
};

/* Loads and initialises libcurl. 0 or E_UNSUPPORTED (then *c is zeroed). */
int fetch_curl_load(struct fetch_curl *c);
/* Accepts a zeroed struct; leaves one. */
void fetch_curl_unload(struct fetch_curl *c);

#endif
