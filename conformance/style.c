#include "conformance/style.h"

#include "base/buf.h"
#include "base/utf8.h"
#include "json/jsonw.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool style_wanted(FILE *f)
{
    const char *none = getenv("NO_COLOR"), *term = getenv("TERM");
    return isatty(fileno(f)) && !(none && none[0]) && term && strcmp(term, "dumb") != 0;
}

const char *style_begin(bool on, enum style s)
{
    static const char *const codes[] = {
        [STYLE_PLAIN] = "",        [STYLE_BOLD] = "\033[1m",   [STYLE_DIM] = "\033[2m",
        [STYLE_RED] = "\033[31m",  [STYLE_GREEN] = "\033[32m", [STYLE_YELLOW] = "\033[33m",
        [STYLE_BLUE] = "\033[34m", [STYLE_CYAN] = "\033[36m",
    };
    return on ? codes[s] : "";
}

const char *style_end(bool on)
{
    return on ? "\033[0m" : "";
}

enum style style_of(enum verdict v)
{
    static const enum style styles[VERDICT_COUNT] = {
        [VERDICT_PASS] = STYLE_GREEN,
        [VERDICT_INFO] = STYLE_CYAN,
        [VERDICT_NOT_EXERCISED] = STYLE_YELLOW,
        [VERDICT_WARN] = STYLE_YELLOW,
        [VERDICT_ERROR] = STYLE_RED,
        [VERDICT_FAIL] = STYLE_RED,
        [VERDICT_SKIP] = STYLE_DIM,
    };
    return styles[v];
}

int style_add(struct buf *out, bool on, enum style s, const char *text)
{
    return buf_addf(out, "%s%s%s", style_begin(on, s), text, style_end(on));
}

int style_add_line(struct buf *out, const char *text, size_t n, size_t max)
{
    size_t shown = n <= max ? n : max;
    while (shown < n && shown > 0 && ((unsigned char)text[shown] & 0xc0) == 0x80)
        shown--;
    size_t start = out->n;
    int rc = utf8_append_repaired(out, text, shown);
    for (size_t i = start; rc == 0 && i < out->n; i++)
        if ((unsigned char)out->p[i] < 0x20 || out->p[i] == 0x7f)
            out->p[i] = ' ';
    return rc == 0 && shown < n ? buf_adds(out, "…") : rc;
}

int style_add_json(struct buf *out, const cJSON *json, size_t max)
{
    struct buf text = {0};
    struct jsonw w;
    jw_begin(&w, &text);
    jw_tree(&w, json);
    int rc = jw_end(&w);
    if (rc == 0)
        rc = style_add_line(out, text.p, text.n, max);
    buf_deinit(&text);
    return rc;
}
