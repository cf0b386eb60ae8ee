/* random_type: random nested datatypes, made through the public interface, and beside each a naive reference:
 * a list of every byte of an item, in the order of a message.
 *
 *     random_start(seed);
 *     struct subject s = random_subject(3);       nested at most 3 deep
 *     byte_place(&s, k)                             where in memory byte k of the data of many items lies
 *     subject_free(&s);
 *
 * A seed gives the same types on every rank. for_each_seed runs a test for as many seeds as the environment's
 * RANDOM_TYPES says, from RANDOM_TYPES_SEED on, and a failure prints its seed.
 */
#ifndef TESTS_TYPES_RANDOM_TYPE_H
#define TESTS_TYPES_RANDOM_TYPE_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

enum {
    BYTES_MAX = 3000, /* of data in one item */
    SPAN_MAX = 1 << 18
};

struct byte {
    int64_t at;
    MPI_Datatype value; /* of the value that begins here; MPI_DATATYPE_NULL: it is not the first of one */
};

/* A type and what it should be. */
struct subject {
    MPI_Datatype type;
    int n;
    struct byte *byte;
    int64_t low, high; /* true lb and ub */
    int64_t end;       /* high, with what alignment adds to the extents of the parts */
    bool is_marked;
    int64_t lb, ub; /* of the markers */
    int64_t align;
};

void random_start(uint64_t seed);
int64_t pick(int64_t low, int64_t high);

struct subject random_subject(int depth);
/* Another type for the data of `items` items of s: its values cut into blocks and put anywhere, none over
 * another. */
struct subject random_scatter(const struct subject *s, int items);
void subject_free(struct subject *s);

int64_t lb_of(const struct subject *s);
int64_t extent_of(const struct subject *s);
/* Displacement from the buffer's address. */
int64_t byte_place(const struct subject *s, int64_t k);
/* The memory that `count` items span: from displacement *begin on, so many bytes. */
int64_t span_of(const struct subject *s, int64_t count, int64_t *begin);
/* Values that begin in the first `bytes` bytes of the data; MPI_UNDEFINED when one is cut. */
int64_t elements_in(const struct subject *s, int64_t bytes);

/* What a test asserts with: the first failure prints the seed, and ends the job. */
#define HOLDS(flag) ((flag) ? (void)0 : random_failed(__FILE__, __LINE__, #flag))
void random_failed(const char *file, int line, const char *expectation);

/* Runs `test` for each seed; `count` of them unless the environment says otherwise. */
void for_each_seed(int count, void (*test)(void));

#endif
