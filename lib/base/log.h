#ifndef BASE_LOG_H
#define BASE_LOG_H

/* Diagnostics go to stderr, one line each, never to stdout (TRANS-04). The level is the only global
 * of lib/. */
enum log_level { LOG_ERROR, LOG_WARN, LOG_INFO, LOG_DEBUG };

void log_set_level(enum log_level level);
enum log_level log_get_level(void);

/* "error", "warn", "info", "debug" -> level; -1 if unknown. */
int log_level_parse(const char *name);

void log_write(enum log_level level, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#define log_error(...) log_write(LOG_ERROR, __VA_ARGS__)
#define log_warn(...)  log_write(LOG_WARN, __VA_ARGS__)
#define log_info(...)  log_write(LOG_INFO, __VA_ARGS__)
#define log_debug(...)                                                                             \
    do {                                                                                           \
        if (log_get_level() >= LOG_DEBUG)                                                          \
            log_write(LOG_DEBUG, __VA_ARGS__);                                                     \
    } while (0)

#endif
