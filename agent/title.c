#include "agent/title.h"

#include "base/buf.h"
#include "base/err.h"
#include "base/utf8.h"

#include <ctype.h>
#include <string.h>

#define TITLE_MAX 80 /* bytes */

static bool is_blank(char c)
{
    return c && (isspace((unsigned char)c) || iscntrl((unsigned char)c));
}

/* The first line that is not blank, white space collapsed. */
static int add_line(struct buf *out, const char *text)
{
    int rc = 0;
    while (is_blank(*text))
        text++;
    for (; rc == 0 && *text && *text != '\n' && out->n <= TITLE_MAX; text++) {
        if (!is_blank(*text))
            rc = buf_addc(out, *text);
        else if (!is_blank(text[1]) && text[1])
            rc = buf_addc(out, ' ');
    }
    return rc;
}

/* At a space, if there is one in the second half. */
static int shorten(struct buf *out)
{
    size_t n = utf8_valid_prefix(out->p, TITLE_MAX - 3), space = n;
    while (space > n / 2 && out->p[space] != ' ')
        space--;
    out->n = space > n / 2 ? space : n;
    return buf_adds(out, "\xe2\x80\xa6");
}

static const char *first_words(const struct prompt *p)
{
    for (size_t i = 0; i < p->n; i++) {
        const struct prompt_part *part = &p->parts[i];
        const char *text = part->kind == PROMPT_TEXT ? part->text : NULL;
        if (part->typed)
            text = part->typed;
        while (text && is_blank(*text))
            text++;
        if (text && *text)
            return text;
    }
    return p->n > 0 ? p->parts[0].name : NULL;
}

char *title_make(const struct prompt *p)
{
    struct buf out = {0};
    const char *words = first_words(p);
    int rc = words ? add_line(&out, words) : 0;
    if (rc == 0 && out.n > TITLE_MAX)
        rc = shorten(&out);
    char *title = rc == 0 && out.n > 0 ? buf_take(&out) : NULL;
    buf_deinit(&out);
    return title;
}
