/* signature: a hash of the sequence of predefined types in a datatype (MPI-5.0 section 5.1).
 *
 * Equal sequences have equal hashes, however they were built. Different sequences almost never do. The
 * sequence a, b, c is the number (a * B + b) * B + c modulo the prime 2^61 - 1. Appending a sequence takes B
 * to the power of its length. That power is kept beside the hash, so `count` items cost log(count) steps.
 */
#ifndef DATATYPE_SIGNATURE_H
#define DATATYPE_SIGNATURE_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

struct signature {
    uint64_t hash, power; /* power: B to the power of the number of values */
};

#define SIGNATURE_EMPTY ((struct signature){0, 1})

/* The signature of one value. Each predefined type has its own code. */
struct signature signature_of(unsigned code);
struct signature signature_append(struct signature first, struct signature then);
struct signature signature_repeat(struct signature of, MPI_Count count);

static inline bool signature_is_equal(struct signature a, struct signature b)
{
    return a.hash == b.hash && a.power == b.power;
}

#endif
