#include "cmd/tune/calls.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double *in, *out;

void calls_prepare(size_t bytes, int ranks)
{
    size_t size = (bytes + sizeof *in) * (size_t)ranks + 64;

    in = calloc(1, size);
    out = calloc(1, size);
    if (!in || !out)
        MPI_Abort(MPI_COMM_WORLD, 1);
    memset(in, 0, size);
    memset(out, 0, size);
}

static void run_barrier(MPI_Comm comm, int items)
{
    (void)items;
    MPI_Barrier(comm);
}

static void run_bcast(MPI_Comm comm, int items)
{
    MPI_Bcast(out, items, MPI_DOUBLE, 0, comm);
}

static void run_reduce(MPI_Comm comm, int items)
{
    MPI_Reduce(in, out, items, MPI_DOUBLE, MPI_SUM, 0, comm);
}

static void run_allreduce(MPI_Comm comm, int items)
{
    MPI_Allreduce(in, out, items, MPI_DOUBLE, MPI_SUM, comm);
}

static void run_allgather(MPI_Comm comm, int items)
{
    MPI_Allgather(in, items, MPI_DOUBLE, out, items, MPI_DOUBLE, comm);
}

static void run_alltoall(MPI_Comm comm, int items)
{
    MPI_Alltoall(in, items, MPI_DOUBLE, out, items, MPI_DOUBLE, comm);
}

static void run_reduce_scatter(MPI_Comm comm, int items)
{
    MPI_Reduce_scatter_block(in, out, items, MPI_DOUBLE, MPI_SUM, comm);
}

static void run_gather(MPI_Comm comm, int items)
{
    MPI_Gather(in, items, MPI_DOUBLE, out, items, MPI_DOUBLE, 0, comm);
}

static void run_scatter(MPI_Comm comm, int items)
{
    MPI_Scatter(in, items, MPI_DOUBLE, out, items, MPI_DOUBLE, 0, comm);
}

static void run_scan(MPI_Comm comm, int items)
{
    MPI_Scan(in, out, items, MPI_DOUBLE, MPI_SUM, comm);
}

const struct tune_call tune_calls[] = {
    {"barrier", run_barrier, 0},
    {"bcast", run_bcast, 0},
    {"reduce", run_reduce, 0},
    {"allreduce", run_allreduce, 0},
    {"allgather", run_allgather, 1},
    {"alltoall", run_alltoall, 1},
    {"gather", run_gather, 0},
    {"reduce_scatter", run_reduce_scatter, 1},
    {"scatter", run_scatter, 1},
    {"scan", run_scan, 0},
    {NULL, NULL, 0},
};

static void calls_check_taken(MPI_Comm comm, const char *key, const char *value)
{
    MPI_Info info;
    int length = 0, is_there;

    MPI_Comm_get_info(comm, &info);
    MPI_Info_get_string(info, key, &length, NULL, &is_there);
    MPI_Info_free(&info);
    if (!is_there) {
        fprintf(stderr,
                "inkling: tune: the library does not take the hint %s = \"%s\", so nothing can be measured "
                "with it\n",
                key, value);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

MPI_Comm calls_comm_with(const char *key, const char *value)
{
    MPI_Comm comm;
    MPI_Info info;

    MPI_Info_create(&info);
    MPI_Info_set(info, key, value);
    MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &comm);
    MPI_Info_free(&info);
    calls_check_taken(comm, key, value);
    return comm;
}
