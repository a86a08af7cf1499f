#include "base/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define LOG_LINE_MAX 2048

static enum log_level current = LOG_WARN;

static const char *const names[] = {
    [LOG_ERROR] = "error", [LOG_WARN] = "warn", [LOG_INFO] = "info", [LOG_DEBUG] = "debug"};

void log_set_level(enum log_level level)
{
    current = level;
}

enum log_level log_get_level(void)
{
    return current;
}

int log_level_parse(const char *name)
{
    for (int i = LOG_ERROR; i <= LOG_DEBUG; i++)
        if (strcmp(names[i], name) == 0)
            return i;
    return -1;
}

/* Peers' text ends up in messages: neither a line break nor a terminal escape may get through. */
static void blank_controls(char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < 0x20 || *text == 0x7F)
            *text = ' ';
}

void log_write(enum log_level level, const char *fmt, ...)
{
    char line[LOG_LINE_MAX];
    va_list args;
    if (level > current)
        return;
    va_start(args, fmt);
    int n = vsnprintf(line, sizeof line, fmt, args);
    va_end(args);
    if (n < 0)
        return;
    blank_controls(line);
    fprintf(stderr, "%s: %s%s\n", names[level], line, (size_t)n >= sizeof line ? " [cut]" : "");
}
