#include "datatype/signature.h"

#define PRIME (((uint64_t)1 << 61) - 1)
#define BASE  ((uint64_t)0x1b873593cc9e2d51 % PRIME)

/* Arithmetic modulo the prime in halves of 32 bits, so that no 128-bit type is needed. 2^61 is 1 modulo the
 * prime. */
static uint64_t reduce(uint64_t x)
{
    x = (x & PRIME) + (x >> 61);
    return x >= PRIME ? x - PRIME : x;
}

static uint64_t multiply(uint64_t a, uint64_t b)
{
    uint64_t a1 = a >> 32, a0 = (uint32_t)a, b1 = b >> 32, b0 = (uint32_t)b;
    uint64_t middle = a1 * b0 + a0 * b1, low = a0 * b0; /* a1 and b1 are below 2^29 */
    uint64_t high = a1 * b1;

    /* high * 2^64 = high * 8; middle * 2^32 = (middle >> 29) + (middle's low 29 bits) * 2^32 */
    return reduce(reduce(high * 8) + reduce(middle >> 29) +
                  reduce((middle & (((uint64_t)1 << 29) - 1)) << 32) + reduce(low));
}

struct signature signature_of(unsigned code)
{
    /* Scattered, so that adjacent codes do not give adjacent numbers. */
    return (struct signature){multiply(code + 1, (uint64_t)0x9e3779b97f4a7c15 % PRIME), BASE};
}

struct signature signature_append(struct signature first, struct signature then)
{
    return (struct signature){reduce(multiply(first.hash, then.power) + then.hash),
                              multiply(first.power, then.power)};
}

struct signature signature_repeat(struct signature of, MPI_Count count)
{
    struct signature all = SIGNATURE_EMPTY;

    for (; count > 0; count /= 2) {
        if (count % 2)
            all = signature_append(all, of);
        of = signature_append(of, of);
    }
    return all;
}
