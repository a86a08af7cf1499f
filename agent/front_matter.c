#include "agent/front_matter.h"

#include "base/err.h"

#include <stdbool.h>
#include <string.h>

/* Ends the line at its LF (and CR) and returns the next one; NULL: there is none. */
static char *cut_line(char *line)
{
    char *end = strchr(line, '\n');
    size_t n = end ? (size_t)(end - line) : strlen(line);
    if (n > 0 && line[n - 1] == '\r')
        line[n - 1] = '\0';
    if (!end)
        return NULL;
    *end = '\0';
    return end + 1;
}

static bool is_fence(const char *line)
{
    return strncmp(line, "---", 3) == 0 && line[3 + strspn(line + 3, " \t")] == '\0';
}

static char *trim(char *text)
{
    text += strspn(text, " \t");
    size_t n = strlen(text);
    while (n > 0 && strchr(" \t", text[n - 1]))
        text[--n] = '\0';
    if (n >= 2 && (*text == '"' || *text == '\'') && text[n - 1] == *text) {
        text[n - 1] = '\0';
        text++;
    }
    return text;
}

static void add_line(struct front_matter *f, char *line)
{
    char *colon = strchr(line, ':');
    if (!colon || colon == line || strchr(" \t#-", *line) || f->n == FRONT_MATTER_MAX)
        return;
    *colon = '\0';
    f->list[f->n].key = trim(line);
    f->list[f->n++].value = trim(colon + 1);
}

static bool begins_with_fence(const char *text)
{
    size_t n = strcspn(text, "\r\n");
    return n >= 3 && strncmp(text, "---", 3) == 0 && 3 + strspn(text + 3, " \t") == n;
}

int front_matter_read(char *text, struct front_matter *ret)
{
    *ret = (struct front_matter){.body = text};
    if (!begins_with_fence(text))
        return 0;
    char *line = cut_line(text);
    while (line) {
        char *next = cut_line(line);
        if (is_fence(line)) {
            ret->body = next ? next : "";
            return 0;
        }
        add_line(ret, line);
        line = next;
    }
    return E_INVALID;
}

const char *front_matter_get(const struct front_matter *f, const char *key)
{
    const char *value = NULL;
    for (size_t i = 0; i < f->n; i++)
        if (strcmp(f->list[i].key, key) == 0)
            value = f->list[i].value;
    return value;
}
