#include "http/fetch_curl.h"

#include "base/err.h"
#include "base/log.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <string.h>

static bool find(void *library, const char *name, void *slot)
{
    void *symbol = dlsym(library, name);
    /* ISO C has no cast from an object pointer to a function pointer; POSIX gives both one size. */
    memcpy(slot, &symbol, sizeof symbol);
    return symbol != NULL;
}

int fetch_curl_load(struct fetch_curl *c)
{
    struct fetch_curl found = {0};
    /* NODELETE: libcurl's TLS library leaves exit handlers behind. */
    found.library = dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!found.library) {
        log_error("http needs libcurl: %s", dlerror());
        return E_UNSUPPORTED;
    }
    bool whole = true;
#define X(name) whole = find(found.library, "curl_" #name, &found.name) && whole;
    FETCH_CURL_FUNCTIONS(X)
#undef X
    if (!whole || found.global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) {
        log_error("http needs libcurl 7.85 or later; the libcurl.so.4 found here does not serve");
        dlclose(found.library);
        return E_UNSUPPORTED;
    }
    *c = found;
    return 0;
}

void fetch_curl_unload(struct fetch_curl *c)
{
    if (!c->library)
        return;
    c->global_cleanup();
    dlclose(c->library);
    *c = (struct fetch_curl){0};
}
