/* ops: MPI_Reduce_local of 1 MiB on one rank, in GB/s of result; the median over batches. Beside each, as
 * limit,
 * `<name>_loop`: the best of a few hand-written loops over the same memory, which is what the machine can do.
 * The other rank waits. */
#include "measure.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    BYTES = 1 << 20,
    BATCHES = 15,
    CALLS = 40,
    PAGE = 4096
};

#if defined __x86_64__
#define WIDE         __attribute__((optimize("O3"), target("avx2")))
#define WIDEST       __attribute__((optimize("O3"), target("avx512f,prefer-vector-width=512")))
#define HAS_WIDE()   __builtin_cpu_supports("avx2")
#define HAS_WIDEST() __builtin_cpu_supports("avx512f")
#else
#define WIDE         __attribute__((optimize("O3")))
#define WIDEST       WIDE
#define HAS_WIDE()   1
#define HAS_WIDEST() 1
#endif
#define PLAIN __attribute__((optimize("O3")))

/* A loop a[i] = a[i] op b[i]. */
#define LOOP(name, how, type, expression)                                                                    \
    how static void name(const void *in, void *inout)                                                        \
    {                                                                                                        \
        const type *restrict b = in;                                                                         \
        type *restrict a = inout;                                                                            \
        for (size_t i = 0; i < BYTES / sizeof *a; i++)                                                       \
            a[i] = (expression);                                                                             \
    }
#define LOOPS(name, type, expression)                                                                        \
    LOOP(name##_plain, PLAIN, type, expression)                                                              \
    LOOP(name##_wide, WIDE, type, expression)                                                                \
    LOOP(name##_widest, WIDEST, type, expression)

LOOPS(sum_float, float, a[i] + b[i])
LOOPS(sum_double, double, a[i] + b[i])
LOOPS(sum_int, int, a[i] + b[i])
LOOPS(max_float, float, a[i] > b[i] ? a[i] : b[i])
LOOPS(max_double, double, a[i] > b[i] ? a[i] : b[i])
LOOPS(max_int, int, a[i] > b[i] ? a[i] : b[i])

typedef void loop_fn(const void *in, void *inout);

struct reduction {
    const char *name;
    MPI_Datatype type;
    MPI_Op op;
    size_t size;
    loop_fn *loops[3];
};

static char *in, *inout;

static double rate(const struct reduction *r, loop_fn *loop)
{
    double each[BATCHES];
    for (int b = 0; b < BATCHES; b++) {
        double start = MPI_Wtime();
        for (int i = 0; i < CALLS; i++) {
            if (loop)
                loop(in, inout);
            else
                MPI_Reduce_local(in, inout, (int)(BYTES / r->size), r->type, r->op);
            __asm__ volatile("" : : "r"(inout) : "memory"); /* each call counts */
        }
        each[b] = (double)CALLS * BYTES / (MPI_Wtime() - start) / 1e9;
    }
    return measure_median(each, BATCHES);
}

/* Zeros, so that sums stay what they are. */
static void measure(const struct reduction *r)
{
    int has[3] = {1, HAS_WIDE(), HAS_WIDEST()};
    double best = 0;
    memset(in, 0, BYTES);
    memset(inout, 0, BYTES);
    rate(r, NULL); /* warm */
    for (int i = 0; i < 3; i++) {
        double found = has[i] ? rate(r, r->loops[i]) : 0;
        best = found > best ? found : best;
    }
    printf("ops_%s %.3f\nops_%s_loop %.3f\n", r->name, rate(r, NULL), r->name, best);
}

#define REDUCTION(name, type, op, ctype)                                                                     \
    {                                                                                                        \
#name, type, op, sizeof(ctype),                                                                      \
        {                                                                                                    \
            name##_plain, name##_wide, name##_widest                                                         \
        }                                                                                                    \
    }

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    measure_cpus();
    in = aligned_alloc(PAGE, BYTES);
    inout = aligned_alloc(PAGE, BYTES);
    if (!in || !inout)
        MPI_Abort(MPI_COMM_WORLD, 1);
    if (rank == 0) {
        const struct reduction reductions[] = {REDUCTION(sum_float, MPI_FLOAT, MPI_SUM, float),
                                               REDUCTION(sum_double, MPI_DOUBLE, MPI_SUM, double),
                                               REDUCTION(sum_int, MPI_INT, MPI_SUM, int),
                                               REDUCTION(max_float, MPI_FLOAT, MPI_MAX, float),
                                               REDUCTION(max_double, MPI_DOUBLE, MPI_MAX, double),
                                               REDUCTION(max_int, MPI_INT, MPI_MAX, int)};
        for (size_t i = 0; i < sizeof reductions / sizeof reductions[0]; i++)
            measure(&reductions[i]);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    free(in);
    free(inout);
    MPI_Finalize();
    return 0;
}
