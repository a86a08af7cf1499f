#include "mock-client/chat_print.h"

#include "base/err.h"
#include "json/json.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define DIM   "\x1b[2m"
#define BOLD  "\x1b[1m"
#define PLAIN "\x1b[0m"

void chat_print_init(struct chat_print *o, bool json)
{
    *o = (struct chat_print){.json = json, .terminal = !json && isatty(STDOUT_FILENO)};
}

/* What an agent says must not move the cursor or rename the window. */
static void put_text(struct chat_print *o, const char *text)
{
    for (const char *c = text; *c; c++) {
        unsigned char byte = (unsigned char)*c;
        bool control = (byte < 0x20 && byte != '\n' && byte != '\t') || byte == 0x7f;
        putchar(control && o->terminal ? '?' : *c);
    }
    if (text[0])
        o->mid_line = text[strlen(text) - 1] != '\n';
}

static void end_line(struct chat_print *o)
{
    if (o->mid_line)
        putchar('\n');
    o->mid_line = false;
    o->kind = NULL;
}

static void begin_kind(struct chat_print *o, const char *kind, const char *style)
{
    if (o->kind == kind)
        return;
    end_line(o);
    o->kind = kind;
    if (o->terminal)
        fputs(style, stdout);
}

static void print_agent_text(struct chat_print *o, const cJSON *update)
{
    const char *text = json_get_str(json_get(update, "content"), "text");
    const char *type = json_get_str(json_get(update, "content"), "type");
    begin_kind(o, "agent", PLAIN);
    if (text)
        put_text(o, text);
    else if (o->terminal)
        printf("[%s]", type ? type : "content");
}

static void print_thought(struct chat_print *o, const cJSON *update)
{
    const char *text = json_get_str(json_get(update, "content"), "text");
    if (!o->terminal || !text)
        return;
    begin_kind(o, "thought", DIM);
    put_text(o, text);
    fputs(PLAIN, stdout);
    o->kind = NULL;
}

static void print_tool(struct chat_print *o, const cJSON *update)
{
    const char *title = json_get_str(update, "title"), *status = json_get_str(update, "status");
    const char *id = json_get_str(update, "toolCallId");
    if (!o->terminal || (!title && !status))
        return;
    end_line(o);
    fputs(BOLD "* " PLAIN, stdout);
    put_text(o, title ? title : id ? id : "tool");
    printf("%s%s%s\n", status ? " (" : "", status ? status : "", status ? ")" : "");
    o->mid_line = false;
}

static void print_plan(struct chat_print *o, const cJSON *update)
{
    const cJSON *entry;
    if (!o->terminal)
        return;
    end_line(o);
    cJSON_ArrayForEach(entry, json_get(update, "entries"))
    {
        const char *status = json_get_str(entry, "status");
        const char *content = json_get_str(entry, "content");
        bool done = status && !strcmp(status, "completed");
        bool now = status && !strcmp(status, "in_progress");
        fputs(done ? "  [x] " : now ? "  [>] " : "  [ ] ", stdout);
        put_text(o, content ? content : "");
        putchar('\n');
    }
    o->mid_line = false;
}

void chat_print_update(struct chat_print *o, const cJSON *update)
{
    static const struct {
        const char *kind;
        void (*print)(struct chat_print *, const cJSON *);
    } kinds[] = {
        {"agent_message_chunk", print_agent_text},
        {"agent_thought_chunk", print_thought},
        {"tool_call", print_tool},
        {"tool_call_update", print_tool},
        {"plan", print_plan},
    };
    const char *kind = json_get_str(update, "sessionUpdate");
    for (size_t i = 0; kind && !o->json && i < ARRAY_LEN(kinds); i++)
        if (!strcmp(kinds[i].kind, kind))
            kinds[i].print(o, update);
    fflush(stdout);
}

void chat_print_question(struct chat_print *o, const cJSON *params)
{
    const char *title = json_get_str(json_get(params, "toolCall"), "title");
    const cJSON *option;
    int i = 0;
    end_line(o);
    fputs(BOLD "? " PLAIN, stdout);
    put_text(o, title ? title : "The agent asks for permission");
    putchar('\n');
    cJSON_ArrayForEach(option, json_get(params, "options"))
    {
        const char *name = json_get_str(option, "name");
        printf("  %d  ", ++i);
        put_text(o, name ? name : "(no name)");
        putchar('\n');
    }
    fputs("number, or nothing to cancel: ", stdout);
    o->mid_line = false;
    fflush(stdout);
}

void chat_print_end_of_turn(struct chat_print *o, const char *stop_reason)
{
    if (o->json)
        return;
    end_line(o);
    fflush(stdout);
    if (strcmp(stop_reason, "end_turn") != 0)
        chat_print_trouble(o, "the turn ended with %s", stop_reason);
}

void chat_print_prompt(struct chat_print *o)
{
    if (!o->terminal)
        return;
    fputs("> ", stdout);
    fflush(stdout);
}

void chat_print_message(struct chat_print *o, const char *line, size_t n)
{
    if (!o->json)
        return;
    fwrite(line, 1, n, stdout);
    putchar('\n');
    fflush(stdout);
}

void chat_print_trouble(struct chat_print *o, const char *fmt, ...)
{
    va_list args;
    if (!o->json)
        end_line(o);
    fflush(stdout);
    fputs("acp-mock-client: ", stderr);
    va_start(args, fmt);
    vfprintf(stderr, fmt, args);
    va_end(args);
    fputc('\n', stderr);
}
