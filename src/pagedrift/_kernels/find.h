/* Where is the next byte that matters? In pages it is mostly a few bytes away, so these look at sixteen bytes at once,
   without a call. Without SSE2 they fall back on plain C; the results are the same. */
#ifndef PAGEDRIFT_FIND_H
#define PAGEDRIFT_FIND_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__SSE2__) && defined(__GNUC__)
#define PAGEDRIFT_BLOCK 16
#include <emmintrin.h>

static inline const unsigned char *find_byte(const unsigned char *at, const unsigned char *end, int byte) {
    const __m128i wanted = _mm_set1_epi8((char)byte);
    while (end - at >= 16) {
        const __m128i block = _mm_loadu_si128((const __m128i *)at);
        const unsigned hits = (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(block, wanted));
        if (hits) return at + __builtin_ctz(hits);
        at += 16;
    }
    for (; at < end; at++)
        if (*at == byte) return at;
    return NULL;
}

/* The next byte that can begin an ideograph or kana in UTF-8, or the end. */
static inline const unsigned char *find_wide(const unsigned char *at, const unsigned char *end) {
    const __m128i least = _mm_set1_epi8((char)0xE3);
    for (; end - at >= 16; at += 16) {
        const __m128i block = _mm_loadu_si128((const __m128i *)at);
        const unsigned hits = (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_max_epu8(block, least), block));
        if (hits) return at + __builtin_ctz(hits);
    }
    while (at < end && *at < 0xE3) at++;
    return at;
}

/* The next = or >, or NULL. */
static inline const unsigned char *find_mark(const unsigned char *at, const unsigned char *end) {
    const __m128i equals = _mm_set1_epi8('='), bracket = _mm_set1_epi8('>');
    for (; end - at >= 16; at += 16) {
        const __m128i block = _mm_loadu_si128((const __m128i *)at);
        const unsigned hits =
            (unsigned)_mm_movemask_epi8(_mm_or_si128(_mm_cmpeq_epi8(block, equals), _mm_cmpeq_epi8(block, bracket)));
        if (hits) return at + __builtin_ctz(hits);
    }
    for (; at < end; at++)
        if (*at == '=' || *at == '>') return at;
    return NULL;
}

/* The next three bytes that a gzip member begins with. */
static inline const unsigned char *find_member(const unsigned char *at, const unsigned char *end) {
    const __m128i first = _mm_set1_epi8(0x1F), second = _mm_set1_epi8((char)0x8B);
    for (; end - at >= 18; at += 16) {
        const __m128i here = _mm_cmpeq_epi8(_mm_loadu_si128((const __m128i *)at), first);
        const __m128i next = _mm_cmpeq_epi8(_mm_loadu_si128((const __m128i *)(at + 1)), second);
        unsigned hits = (unsigned)_mm_movemask_epi8(_mm_and_si128(here, next));
        for (; hits; hits &= hits - 1) {
            const unsigned char *found = at + __builtin_ctz(hits);
            if (found[2] == 8) return found;
        }
    }
    for (; end - at >= 3; at++)
        if (at[0] == 0x1F && at[1] == 0x8B && at[2] == 8) return at;
    return NULL;
}

/* The length of the tag name here and its letters, in lower case, as one word; 9 if it is longer than a word.
   Sixteen bytes must be readable. A control character ends it too, as white space does: look which it was. */
static inline int short_name(const unsigned char *at, uint64_t *word) {
    const __m128i block = _mm_loadu_si128((const __m128i *)at);
    const __m128i blank = _mm_cmpeq_epi8(_mm_min_epu8(block, _mm_set1_epi8(' ')), block);
    const __m128i end = _mm_or_si128(_mm_cmpeq_epi8(block, _mm_set1_epi8('/')), _mm_cmpeq_epi8(block, _mm_set1_epi8('>')));
    const __m128i capital = _mm_and_si128(_mm_cmpgt_epi8(block, _mm_set1_epi8('A' - 1)),
                                          _mm_cmplt_epi8(block, _mm_set1_epi8('Z' + 1)));
    const uint64_t letters = (uint64_t)_mm_cvtsi128_si64(_mm_or_si128(block, _mm_and_si128(capital, _mm_set1_epi8(32))));
    const int length = __builtin_ctz((unsigned)_mm_movemask_epi8(_mm_or_si128(blank, end)) | 0x10000);
    if (length > 8) return 9;
    *word = length == 8 ? letters : letters & ((1ULL << (8 * length)) - 1);
    return length;
}
#else
#define PAGEDRIFT_BLOCK 1
static inline const unsigned char *find_mark(const unsigned char *at, const unsigned char *end) {
    for (; at < end; at++)
        if (*at == '=' || *at == '>') return at;
    return NULL;
}
static inline const unsigned char *find_wide(const unsigned char *at, const unsigned char *end) {
    while (at < end && *at < 0xE3) at++;
    return at;
}
static inline const unsigned char *find_member(const unsigned char *at, const unsigned char *end) {
    for (; end - at >= 3; at++) {
        at = (const unsigned char *)memchr(at, 0x1F, (size_t)(end - at - 2));
        if (at == NULL) return NULL;
        if (at[1] == 0x8B && at[2] == 8) return at;
    }
    return NULL;
}
static inline int short_name(const unsigned char *at, uint64_t *word) { (void)at; (void)word; return 9; }
static inline const unsigned char *find_byte(const unsigned char *at, const unsigned char *end, int byte) {
    return at < end ? (const unsigned char *)memchr(at, byte, (size_t)(end - at)) : NULL;
}
#endif

#endif
