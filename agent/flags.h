#ifndef AGENT_FLAGS_H
#define AGENT_FLAGS_H

#include "base/log.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The command line of acp-agent. */
enum flags_action {
    FLAGS_SERVE,
    FLAGS_SETUP,
    FLAGS_MODELS,
    FLAGS_PROVIDERS,
    FLAGS_SESSIONS,
    FLAGS_DOCTOR,
    FLAGS_HELP,
    FLAGS_VERSION
};

#define FLAGS_WORDS 2

struct flags {
    enum flags_action action;
    /* All lent by argv; NULL if not given. */
    const char *cwd, *model, *title, *append, *append_file, *trace;
    const char *profile;            /* a work mode that exists */
    const char *provider, *base;    /* of setup */
    const char *words[FLAGS_WORDS]; /* of sessions: what to do, with which one */
    uint32_t max_tokens;            /* 0: not given */
    uint32_t permission_timeout;    /* seconds; 0: not given */
    size_t max_line;                /* 0: not given */
    bool json, no_check, setup, safe_mode;
    enum log_level log_level;
    char error[256]; /* after E_INVALID: one sentence */
};

/* 0, or E_INVALID with error filled. */
int flags_parse(int argc, char *const argv[], struct flags *ret);

/* The usage text. Static. */
const char *flags_usage(void);

#endif
