#define _GNU_SOURCE
#include "calls.h"

#include "measure.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    BATCH_BYTES = 400 * 1024, /* sizes the batches */
    BATCH_MOST = 100,
    WARM_UP = 10, /* long calls before those that are timed: the first ones touch new memory */
    CHECKS = 3    /* calls whose results are looked at: a persistent one must work again */
};

int rank, size, count;
long bytes;
double *in, *out;
MPI_Comm comm;
MPI_Request request;
static MPI_Comm plain, strict;
static long doubles; /* of each buffer */

double item(int of, long i, int calls)
{
    return 100.0 * calls + 10.0 * of + (double)(i % 7);
}

double sum(long i, int calls)
{
    double total = 0;

    for (int r = 0; r < size; r++)
        total += item(r, i, calls);
    return total;
}

static void call(const struct collective *collective, char form)
{
    if (form == 'p' || form == 's')
        MPI_Start(&request);
    else
        collective->call(form);
    if (form != 'b')
        MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* Fills the buffers anew, as far as calls of this size use them; a broadcast's root gives what is in `out`.
 */
static void fill(int calls)
{
    long used = (long)count * size * 2 < doubles ? (long)count * size * 2 : doubles;

    for (long i = 0; i < used; i++) {
        in[i] = item(rank, i, calls);
        out[i] = rank == 0 ? in[i] : -1;
    }
}

/* Whether the results of some calls are right on all ranks. */
static int works(const struct collective *collective, char form)
{
    int mine = 1, all;

    for (int i = 0; i < CHECKS && collective->is_right; i++) {
        fill(i);
        call(collective, form);
        mine &= collective->is_right(i);
    }
    MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, plain);
    if (!all && rank == 0)
        fprintf(stderr, "%s: wrong results: %s, form %c, %ld bytes\n", program_invocation_short_name,
                collective->name, form, bytes);
    return all;
}

static double time_batches(const struct collective *collective, char form, int batches)
{
    int calls = bytes * BATCH_MOST <= BATCH_BYTES ? BATCH_MOST
                : bytes < BATCH_BYTES             ? (int)(BATCH_BYTES / bytes)
                                                  : 1;
    double each[1000];

    for (int b = calls > 1 ? -2 - batches / 10 : -WARM_UP; b < batches; b++) {
        double start = MPI_Wtime();
        for (int i = 0; i < calls; i++)
            call(collective, form);
        if (b >= 0)
            each[b] = (MPI_Wtime() - start) / calls * 1e6;
    }
    return measure_median(each, batches);
}

static void measure(const struct collective *collective, char form, int batches)
{
    int is_right;
    double mine = 0, slowest;

    comm = form == 's' ? strict : plain;
    if (form == 'p' || form == 's')
        collective->call(form);
    is_right = works(collective, form);
    if (is_right)
        mine = time_batches(collective, form, batches);
    if (form == 'p' || form == 's')
        MPI_Request_free(&request);
    MPI_Reduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, plain);
    if (rank == 0 && is_right)
        printf("%s_%c_%ld %.3f\n", collective->name, form, bytes, slowest);
}

void calls_measure(const struct collective *collective, const char *forms, long bytes_each, int batches)
{
    bytes = bytes_each;
    count = (int)(bytes / 8);
    for (const char *form = forms; *form; form++)
        if (collective->is_right || bytes == 8)
            if ((*form != 'p' && *form != 's') || MPI_VERSION >= 4)
                measure(collective, *form, batches);
}

static void make_comms(void)
{
    static const char hint[] = "mpi_assert_strict_persistent_collective_ordering";
    MPI_Info info;

    MPI_Comm_dup(MPI_COMM_WORLD, &plain);
    MPI_Info_create(&info);
    if (sizeof hint <= MPI_MAX_INFO_KEY) /* the key is longer than some libraries allow */
        MPI_Info_set(info, hint, "true");
    MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &strict);
    MPI_Info_free(&info);
    MPI_Comm_rank(plain, &rank);
    MPI_Comm_size(plain, &size);
}

void calls_init(long largest, int blocks)
{
    make_comms();
    doubles = largest / 8 * size * blocks;
    in = calloc((size_t)doubles, sizeof *in);
    out = calloc((size_t)doubles, sizeof *out);
    if (!in || !out)
        MPI_Abort(MPI_COMM_WORLD, 1);
    memset(in, 0, (size_t)doubles * sizeof *in);
    memset(out, 0, (size_t)doubles * sizeof *out);
}

void calls_fini(void)
{
    MPI_Comm_free(&plain);
    MPI_Comm_free(&strict);
    free(in);
    free(out);
}
