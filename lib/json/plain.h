#ifndef JSON_PLAIN_H
#define JSON_PLAIN_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/*
 * Reading and writing share the question "how far does this string go on without anything special",
 * where plain is ASCII that stands for itself: no control character, no quote, no backslash. Nearly
 * all bytes of a message are answered here, so it looks at eight at a time.
 */
#define PLAIN_ONES (UINT64_MAX / 255)
#define PLAIN_HIGH (PLAIN_ONES * 0x80)

/* High bit set in each byte that is not plain (and perhaps in a byte after such a one: the
 * subtractions borrow upwards). */
static inline uint64_t plain_specials(uint64_t word)
{
    uint64_t quote = word ^ (PLAIN_ONES * '"'), escape = word ^ (PLAIN_ONES * '\\');
    uint64_t below = (word - PLAIN_ONES * 0x20) | (quote - PLAIN_ONES) | (escape - PLAIN_ONES);
    return (below | word) & PLAIN_HIGH;
}

static inline int plain_byte(unsigned char c)
{
    return c >= 0x20 && c < 0x80 && c != '"' && c != '\\';
}

static inline size_t plain_prefix(const char *p, size_t n)
{
    size_t i = 0;
    uint64_t word;
    for (; n - i >= sizeof word; i += sizeof word) {
        memcpy(&word, p + i, sizeof word);
        word = plain_specials(word);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
        if (word)
            return i + (size_t)__builtin_ctzll(word) / 8;
#else
        if (word)
            break;
#endif
    }
    while (i < n && plain_byte((unsigned char)p[i]))
        i++;
    return i;
}

#endif
