/* calls: what coll.c and forms.c share: collectives in all their forms, whose results are looked at before
 * they are timed.
 *
 * Forms: b blocking, n nonblocking and a wait, p persistent (start and wait), s the same on a communicator
 * with mpi_assert_strict_persistent_collective_ordering. A form whose results are wrong is not measured, but
 * told of on standard error.
 */
#ifndef BENCH_CALLS_H
#define BENCH_CALLS_H

#include <mpi.h>

struct collective {
    const char *name;
    void (*call)(char form);
    int (*is_right)(
        int calls); /* whether the results of that many calls are right on this rank; NULL: it has none */
};

/* Set by calls_measure: of the communicator, and what each call moves, in bytes and doubles. */
extern int rank, size, count;
extern long bytes;
extern double *in, *out;
extern MPI_Comm comm;
extern MPI_Request request;

#if MPI_VERSION >= 4
#define PERSISTENT(X, ...) MPI_##X##_init(__VA_ARGS__, MPI_INFO_NULL, &request)
#else
#define PERSISTENT(X, ...) (void)0
#endif
#define CALL(X, IX, ...)                                                                                     \
    do {                                                                                                     \
        if (form == 'b')                                                                                     \
            MPI_##X(__VA_ARGS__);                                                                            \
        else if (form == 'n')                                                                                \
            MPI_##IX(__VA_ARGS__, &request);                                                                 \
        else                                                                                                 \
            PERSISTENT(X, __VA_ARGS__);                                                                      \
    } while (0)

/* Item i of what a rank puts into a call, all different from one call to the next; and the sum over all
 * ranks. */
double item(int of, long i, int calls);
double sum(long i, int calls);

/* Makes the communicators and buffers of `blocks` times `largest` bytes for each of their ranks. */
void calls_init(long largest, int blocks);
/* The median time of a call over batches on the slowest rank, in microseconds. */
void calls_measure(const struct collective *collective, const char *forms, long bytes_each, int batches);
void calls_fini(void);

#endif
