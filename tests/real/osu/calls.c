#include "calls.h"

#include <stddef.h>
#include <string.h>

static char *at_root(const struct run *r)
{
    return r->rank ? NULL : r->receive;
}

static void barrier(struct run *r)
{
    (void)r;
    MPI_Barrier(MPI_COMM_WORLD);
}

static void ibarrier(struct run *r)
{
    MPI_Ibarrier(MPI_COMM_WORLD, &r->request);
}

static void barrier_init(struct run *r)
{
    MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, &r->request);
}

static void bcast(struct run *r)
{
    MPI_Bcast(r->send, r->bytes, MPI_CHAR, 0, MPI_COMM_WORLD);
}

static void ibcast(struct run *r)
{
    MPI_Ibcast(r->send, r->bytes, MPI_CHAR, 0, MPI_COMM_WORLD, &r->request);
}

static void bcast_init(struct run *r)
{
    MPI_Bcast_init(r->send, r->bytes, MPI_CHAR, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &r->request);
}

static void gather(struct run *r)
{
    MPI_Gather(r->send, r->bytes, MPI_CHAR, at_root(r), r->bytes, MPI_CHAR, 0, MPI_COMM_WORLD);
}

static void igather(struct run *r)
{
    MPI_Igather(r->send, r->bytes, MPI_CHAR, at_root(r), r->bytes, MPI_CHAR, 0, MPI_COMM_WORLD, &r->request);
}

static void gather_init(struct run *r)
{
    MPI_Gather_init(r->send, r->bytes, MPI_CHAR, at_root(r), r->bytes, MPI_CHAR, 0, MPI_COMM_WORLD,
                    MPI_INFO_NULL, &r->request);
}

static void gatherv(struct run *r)
{
    MPI_Gatherv(r->send, r->bytes, MPI_CHAR, at_root(r), r->counts, r->places, MPI_CHAR, 0, MPI_COMM_WORLD);
}

static void igatherv(struct run *r)
{
    MPI_Igatherv(r->send, r->bytes, MPI_CHAR, at_root(r), r->counts, r->places, MPI_CHAR, 0, MPI_COMM_WORLD,
                 &r->request);
}

static void gatherv_init(struct run *r)
{
    MPI_Gatherv_init(r->send, r->bytes, MPI_CHAR, at_root(r), r->counts, r->places, MPI_CHAR, 0,
                     MPI_COMM_WORLD, MPI_INFO_NULL, &r->request);
}

static void scatter(struct run *r)
{
    MPI_Scatter(r->rank ? NULL : r->send, r->bytes, MPI_CHAR, r->receive, r->bytes, MPI_CHAR, 0,
                MPI_COMM_WORLD);
}

static void iscatter(struct run *r)
{
    MPI_Iscatter(r->rank ? NULL : r->send, r->bytes, MPI_CHAR, r->receive, r->bytes, MPI_CHAR, 0,
                 MPI_COMM_WORLD, &r->request);
}

static void scatter_init(struct run *r)
{
    MPI_Scatter_init(r->rank ? NULL : r->send, r->bytes, MPI_CHAR, r->receive, r->bytes, MPI_CHAR, 0,
                     MPI_COMM_WORLD, MPI_INFO_NULL, &r->request);
}

static void scatterv(struct run *r)
{
    MPI_Scatterv(r->rank ? NULL : r->send, r->counts, r->places, MPI_CHAR, r->receive, r->bytes, MPI_CHAR, 0,
                 MPI_COMM_WORLD);
}

static void iscatterv(struct run *r)
{
    MPI_Iscatterv(r->rank ? NULL : r->send, r->counts, r->places, MPI_CHAR, r->receive, r->bytes, MPI_CHAR, 0,
                  MPI_COMM_WORLD, &r->request);
}

static void scatterv_init(struct run *r)
{
    MPI_Scatterv_init(r->rank ? NULL : r->send, r->counts, r->places, MPI_CHAR, r->receive, r->bytes,
                      MPI_CHAR, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &r->request);
}

static void allgather(struct run *r)
{
    MPI_Allgather(r->send, r->bytes, MPI_CHAR, r->receive, r->bytes, MPI_CHAR, MPI_COMM_WORLD);
}

static void iallgather(struct run *r)
{
    MPI_Iallgather(r->send, r->bytes, MPI_CHAR, r->receive, r->bytes, MPI_CHAR, MPI_COMM_WORLD, &r->request);
}

static void allgather_init(struct run *r)
{
    MPI_Allgather_init(r->send, r->bytes, MPI_CHAR, r->receive, r->bytes, MPI_CHAR, MPI_COMM_WORLD,
                       MPI_INFO_NULL, &r->request);
}

static void allgatherv(struct run *r)
{
    MPI_Allgatherv(r->send, r->bytes, MPI_CHAR, r->receive, r->counts, r->places, MPI_CHAR, MPI_COMM_WORLD);
}

static void iallgatherv(struct run *r)
{
    MPI_Iallgatherv(r->send, r->bytes, MPI_CHAR, r->receive, r->counts, r->places, MPI_CHAR, MPI_COMM_WORLD,
                    &r->request);
}

static void allgatherv_init(struct run *r)
{
    MPI_Allgatherv_init(r->send, r->bytes, MPI_CHAR, r->receive, r->counts, r->places, MPI_CHAR,
                        MPI_COMM_WORLD, MPI_INFO_NULL, &r->request);
}

static void alltoall(struct run *r)
{
    MPI_Alltoall(r->send, r->bytes, MPI_CHAR, r->receive, r->bytes, MPI_CHAR, MPI_COMM_WORLD);
}

static void ialltoall(struct run *r)
{
    MPI_Ialltoall(r->send, r->bytes, MPI_CHAR, r->receive, r->bytes, MPI_CHAR, MPI_COMM_WORLD, &r->request);
}

static void alltoall_init(struct run *r)
{
    MPI_Alltoall_init(r->send, r->bytes, MPI_CHAR, r->receive, r->bytes, MPI_CHAR, MPI_COMM_WORLD,
                      MPI_INFO_NULL, &r->request);
}

static void alltoallv(struct run *r)
{
    MPI_Alltoallv(r->send, r->counts, r->places, MPI_CHAR, r->receive, r->counts, r->places, MPI_CHAR,
                  MPI_COMM_WORLD);
}

static void ialltoallv(struct run *r)
{
    MPI_Ialltoallv(r->send, r->counts, r->places, MPI_CHAR, r->receive, r->counts, r->places, MPI_CHAR,
                   MPI_COMM_WORLD, &r->request);
}

static void alltoallv_init(struct run *r)
{
    MPI_Alltoallv_init(r->send, r->counts, r->places, MPI_CHAR, r->receive, r->counts, r->places, MPI_CHAR,
                       MPI_COMM_WORLD, MPI_INFO_NULL, &r->request);
}

static void alltoallw(struct run *r)
{
    MPI_Alltoallw(r->send, r->counts, r->places, r->types, r->receive, r->counts, r->places, r->types,
                  MPI_COMM_WORLD);
}

static void ialltoallw(struct run *r)
{
    MPI_Ialltoallw(r->send, r->counts, r->places, r->types, r->receive, r->counts, r->places, r->types,
                   MPI_COMM_WORLD, &r->request);
}

static void alltoallw_init(struct run *r)
{
    MPI_Alltoallw_init(r->send, r->counts, r->places, r->types, r->receive, r->counts, r->places, r->types,
                       MPI_COMM_WORLD, MPI_INFO_NULL, &r->request);
}

static void reduce(struct run *r)
{
    MPI_Reduce(r->send, at_root(r), r->bytes, MPI_CHAR, r->op, 0, MPI_COMM_WORLD);
}

static void ireduce(struct run *r)
{
    MPI_Ireduce(r->send, at_root(r), r->bytes, MPI_CHAR, r->op, 0, MPI_COMM_WORLD, &r->request);
}

static void reduce_init(struct run *r)
{
    MPI_Reduce_init(r->send, at_root(r), r->bytes, MPI_CHAR, r->op, 0, MPI_COMM_WORLD, MPI_INFO_NULL,
                    &r->request);
}

static void allreduce(struct run *r)
{
    MPI_Allreduce(r->send, r->receive, r->bytes, MPI_CHAR, r->op, MPI_COMM_WORLD);
}

static void iallreduce(struct run *r)
{
    MPI_Iallreduce(r->send, r->receive, r->bytes, MPI_CHAR, r->op, MPI_COMM_WORLD, &r->request);
}

static void allreduce_init(struct run *r)
{
    MPI_Allreduce_init(r->send, r->receive, r->bytes, MPI_CHAR, r->op, MPI_COMM_WORLD, MPI_INFO_NULL,
                       &r->request);
}

static void reduce_scatter(struct run *r)
{
    MPI_Reduce_scatter(r->send, r->receive, r->counts, MPI_CHAR, r->op, MPI_COMM_WORLD);
}

static void ireduce_scatter(struct run *r)
{
    MPI_Ireduce_scatter(r->send, r->receive, r->counts, MPI_CHAR, r->op, MPI_COMM_WORLD, &r->request);
}

static void reduce_scatter_init(struct run *r)
{
    MPI_Reduce_scatter_init(r->send, r->receive, r->counts, MPI_CHAR, r->op, MPI_COMM_WORLD, MPI_INFO_NULL,
                            &r->request);
}

static void reduce_scatter_block(struct run *r)
{
    MPI_Reduce_scatter_block(r->send, r->receive, r->bytes, MPI_CHAR, r->op, MPI_COMM_WORLD);
}

static void ireduce_scatter_block(struct run *r)
{
    MPI_Ireduce_scatter_block(r->send, r->receive, r->bytes, MPI_CHAR, r->op, MPI_COMM_WORLD, &r->request);
}

static void reduce_scatter_block_init(struct run *r)
{
    MPI_Reduce_scatter_block_init(r->send, r->receive, r->bytes, MPI_CHAR, r->op, MPI_COMM_WORLD,
                                  MPI_INFO_NULL, &r->request);
}

static void scan(struct run *r)
{
    MPI_Scan(r->send, r->receive, r->bytes, MPI_CHAR, r->op, MPI_COMM_WORLD);
}

static void iscan(struct run *r)
{
    MPI_Iscan(r->send, r->receive, r->bytes, MPI_CHAR, r->op, MPI_COMM_WORLD, &r->request);
}

static void scan_init(struct run *r)
{
    MPI_Scan_init(r->send, r->receive, r->bytes, MPI_CHAR, r->op, MPI_COMM_WORLD, MPI_INFO_NULL, &r->request);
}

static const struct collective collectives[] = {
    {"barrier", NOTHING, 0, 0, barrier, ibarrier, barrier_init},
    {"bcast", OF_ROOT, 0, 0, bcast, ibcast, bcast_init},
    {"gather", ONE_OF_EACH, 1, 0, gather, igather, gather_init},
    {"gatherv", ONE_OF_EACH, 1, 0, gatherv, igatherv, gatherv_init},
    {"scatter", PART_OF_ROOT, 0, 1, scatter, iscatter, scatter_init},
    {"scatterv", PART_OF_ROOT, 0, 1, scatterv, iscatterv, scatterv_init},
    {"allgather", ONE_OF_EACH, 0, 0, allgather, iallgather, allgather_init},
    {"allgatherv", ONE_OF_EACH, 0, 0, allgatherv, iallgatherv, allgatherv_init},
    {"alltoall", MINE_OF_EACH, 0, 1, alltoall, ialltoall, alltoall_init},
    {"alltoallv", MINE_OF_EACH, 0, 1, alltoallv, ialltoallv, alltoallv_init},
    {"alltoallw", MINE_OF_EACH, 0, 1, alltoallw, ialltoallw, alltoallw_init},
    {"reduce", REDUCED, 1, 0, reduce, ireduce, reduce_init},
    {"allreduce", REDUCED, 0, 0, allreduce, iallreduce, allreduce_init},
    {"reduce_scatter", MY_PART_REDUCED, 0, 1, reduce_scatter, ireduce_scatter, reduce_scatter_init},
    {"reduce_scatter_block", MY_PART_REDUCED, 0, 1, reduce_scatter_block, ireduce_scatter_block,
     reduce_scatter_block_init},
    {"scan", REDUCED_UP_TO_ME, 0, 0, scan, iscan, scan_init},
};

const struct collective *collective_find(const char *name)
{
    for (size_t i = 0; i < sizeof collectives / sizeof *collectives; i++)
        if (!strcmp(collectives[i].name, name))
            return &collectives[i];
    return NULL;
}
