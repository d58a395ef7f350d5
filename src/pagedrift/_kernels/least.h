/* What is the least product of each of some numbers with any of some others? Eight at a time, so that compilers use
   the widest registers there are: GCC writes it for three kinds of processors and asks once which it runs on. */
#ifndef PAGEDRIFT_LEAST_H
#define PAGEDRIFT_LEAST_H

#include <stdint.h>

#if defined(__x86_64__) && defined(__gnu_linux__) && defined(__GNUC__) && __GNUC__ >= 12 && !defined(__clang__)
#define PAGEDRIFT_WIDE \
    __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default"), optimize("O3"), noinline))
#else
#define PAGEDRIFT_WIDE
#endif

/* `count` is a multiple of eight. */
PAGEDRIFT_WIDE
static void least_products(uint64_t *least, const uint64_t *factors, int count, const uint64_t *numbers, int size) {
    for (int start = 0; start < count; start += 8) {
        uint64_t found[8];
        for (int at = 0; at < 8; at++) found[at] = least[start + at];
        for (int number = 0; number < size; number++)
            for (int at = 0; at < 8; at++) {
                const uint64_t product = numbers[number] * factors[start + at];
                found[at] = product < found[at] ? product : found[at];
            }
        for (int at = 0; at < 8; at++) least[start + at] = found[at];
    }
}
#endif
