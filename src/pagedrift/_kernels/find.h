/* Where is the next byte of one value? memchr without the call: in pages it is mostly a few bytes away. */
#ifndef PAGEDRIFT_FIND_H
#define PAGEDRIFT_FIND_H

#include <stddef.h>
#include <string.h>

#if defined(__SSE2__) && defined(__GNUC__)
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
#else
static inline const unsigned char *find_byte(const unsigned char *at, const unsigned char *end, int byte) {
    return at < end ? (const unsigned char *)memchr(at, byte, (size_t)(end - at)) : NULL;
}
#endif

#endif
