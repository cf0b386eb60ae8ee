/* ranks: 1 2 3 */
/* Wrong arguments of collectives. Every rank makes the same mistake, so that nobody waits; what is not
 * significant on a rank may be anything. */
#include "check.h"

#include <stdbool.h>
#include <stdint.h>

static MPI_Comm comm;
static int rank, size;

static void wrong_roots(void)
{
    int v = 0;

    CHECK_CODE(MPI_Bcast(&v, 1, MPI_INT, size, comm), MPI_ERR_ROOT, "root");
    CHECK_CODE(MPI_Bcast(&v, 1, MPI_INT, -1, comm), MPI_ERR_ROOT, "root");
    CHECK_CODE(MPI_Bcast(&v, 1, MPI_INT, MPI_ROOT, comm), MPI_ERR_ROOT, "root");
    CHECK_CODE(MPI_Reduce(&v, NULL, 1, MPI_INT, MPI_SUM, MPI_PROC_NULL, comm), MPI_ERR_ROOT, "root");
}

static void wrong_handles(void)
{
    int v = 0, w = 0;

    CHECK_CODE(MPI_Barrier(MPI_COMM_NULL), MPI_ERR_COMM, "MPI_COMM_NULL");
    CHECK_CODE(MPI_Allreduce(&v, &w, 1, MPI_INT, MPI_OP_NULL, comm), MPI_ERR_OP, "MPI_OP_NULL");
    CHECK_CODE(MPI_Allreduce(&v, &w, 1, MPI_INT, (MPI_Op)&v, comm), MPI_ERR_OP, "op");
    CHECK_CODE(MPI_Allreduce(&v, &w, 1, MPI_DATATYPE_NULL, MPI_SUM, comm), MPI_ERR_TYPE, "MPI_DATATYPE_NULL");
    CHECK_CODE(MPI_Allreduce_c(&v, &w, -1, MPI_INT, MPI_SUM, comm), MPI_ERR_COUNT, "count");
}

static void wrong_buffers(void)
{
    int v[4] = {0};

    CHECK_CODE(MPI_Bcast(MPI_IN_PLACE, 1, MPI_INT, 0, comm), MPI_ERR_BUFFER, "MPI_IN_PLACE");
    CHECK_CODE(MPI_Bcast(NULL, 1, MPI_INT, 0, comm), MPI_ERR_BUFFER, "buffer is NULL");
    CHECK_CODE(MPI_Allreduce(v, v, 1, MPI_INT, MPI_SUM, comm), MPI_ERR_BUFFER, "same memory");
    CHECK_CODE(MPI_Allreduce(v, MPI_IN_PLACE, 1, MPI_INT, MPI_SUM, comm), MPI_ERR_BUFFER,
               "recvbuf is MPI_IN_PLACE");
    CHECK_CODE(MPI_Allgather(v, 1, MPI_INT, v, 1, MPI_INT, comm), MPI_ERR_BUFFER, "same memory");
    CHECK_CODE(MPI_Allreduce(NULL, v, 1, MPI_INT, MPI_SUM, comm), MPI_ERR_BUFFER, "sendbuf is NULL");
    if (size > 1 && rank > 0)
        CHECK_CODE(MPI_Gather(MPI_IN_PLACE, 1, MPI_INT, v, 1, MPI_INT, 0, MPI_COMM_WORLD), MPI_ERR_BUFFER,
                   "only the root");
    CHECK_EQ(MPI_Allreduce(NULL, NULL, 0, MPI_INT, MPI_SUM, comm), MPI_SUCCESS);
}

static void wrong_counts(void)
{
    int v[4] = {0}, w[16] = {0}, counts[4] = {1, 1, 1, 1}, displs[4] = {0, 1, 2, 3};

    counts[size - 1] = -2;
    CHECK_CODE(MPI_Allgatherv(v, 1, MPI_INT, w, counts, displs, MPI_INT, comm), MPI_ERR_COUNT,
               "] -2 is negative");
    CHECK_CODE(MPI_Allgatherv(v, 1, MPI_INT, w, NULL, displs, MPI_INT, comm), MPI_ERR_ARG,
               "recvcounts is NULL");
    CHECK_CODE(MPI_Alltoallv(v, counts, displs, MPI_INT, w, counts, displs, MPI_INT, comm), MPI_ERR_COUNT,
               "sendcounts[");
    CHECK_CODE(MPI_Reduce_scatter(v, w, counts, MPI_INT, MPI_SUM, comm), MPI_ERR_COUNT, "recvcounts[");
    CHECK_CODE(MPI_Gather(v, -1, MPI_INT, w, 1, MPI_INT, 0, comm), MPI_ERR_COUNT, "sendcount");
    CHECK_CODE(MPI_Scatter(w, 1, MPI_INT, v, -1, MPI_INT, 0, comm), MPI_ERR_COUNT, "recvcount");
    CHECK_CODE(MPI_Gather(v, 1, MPI_DATATYPE_NULL, w, 1, MPI_INT, 0, comm), MPI_ERR_TYPE,
               "MPI_DATATYPE_NULL");
}

/* The arrays of displacements are looked at where their buffer is, in every form. */
static void missing_displacements(void)
{
    int v[4] = {0}, w[16] = {0}, counts[4] = {1, 1, 1, 1}, displs[4] = {0, 1, 2, 3}, bytes[4] = {0, 4, 8, 12};
    MPI_Datatype types[4] = {MPI_INT, MPI_INT, MPI_INT, MPI_INT};
    MPI_Count large[4] = {1, 1, 1, 1};
    MPI_Aint wide[4] = {0, 4, 8, 12};
    MPI_Request r;

    CHECK_CODE(MPI_Allgatherv(v, 1, MPI_INT, w, counts, NULL, MPI_INT, comm), MPI_ERR_ARG, "displs is NULL");
    CHECK_CODE(MPI_Alltoallv(v, counts, NULL, MPI_INT, w, counts, displs, MPI_INT, comm), MPI_ERR_ARG,
               "sdispls is NULL");
    CHECK_CODE(MPI_Alltoallv(v, counts, displs, MPI_INT, w, counts, NULL, MPI_INT, comm), MPI_ERR_ARG,
               "rdispls is NULL");
    CHECK_CODE(MPI_Alltoallw(v, counts, NULL, types, w, counts, bytes, types, comm), MPI_ERR_ARG,
               "sdispls is NULL");
    CHECK_CODE(MPI_Alltoallw_c(v, large, wide, types, w, large, NULL, types, comm), MPI_ERR_ARG,
               "rdispls is NULL");
    CHECK_CODE(MPI_Alltoallw(MPI_IN_PLACE, NULL, NULL, NULL, w, counts, NULL, types, comm), MPI_ERR_ARG,
               "rdispls is NULL");
    CHECK_CODE(MPI_Ialltoallw(v, counts, NULL, types, w, counts, bytes, types, comm, &r), MPI_ERR_ARG,
               "sdispls is NULL");
    CHECK_CODE(
        MPI_Alltoallv_init(v, counts, NULL, MPI_INT, w, counts, displs, MPI_INT, comm, MPI_INFO_NULL, &r),
        MPI_ERR_ARG, "sdispls is NULL");
    CHECK_CODE(MPI_Gatherv(v, 1, MPI_INT, w, counts, NULL, MPI_INT, 0, MPI_COMM_SELF), MPI_ERR_ARG,
               "displs is NULL");
    CHECK_CODE(MPI_Igatherv_c(v, 1, MPI_INT, w, large, NULL, MPI_INT, 0, MPI_COMM_SELF, &r), MPI_ERR_ARG,
               "displs is NULL");
    CHECK_CODE(MPI_Scatterv(v, counts, NULL, MPI_INT, w, 1, MPI_INT, 0, MPI_COMM_SELF), MPI_ERR_ARG,
               "displs is NULL");
    CHECK_EQ(MPI_Gatherv(v, 1, MPI_INT, w, rank ? NULL : counts, rank ? NULL : displs, MPI_INT, 0, comm),
             MPI_SUCCESS);
    CHECK_EQ(MPI_Scatterv(w, rank ? NULL : counts, rank ? NULL : displs, MPI_INT, v, 1, MPI_INT, 0, comm),
             MPI_SUCCESS);
    CHECK_EQ(MPI_Alltoallw(MPI_IN_PLACE, NULL, NULL, NULL, w, counts, bytes, types, comm), MPI_SUCCESS);
    types[size] = MPI_DATATYPE_NULL; /* behind the last one nobody looks */
    counts[size] = -1;
    CHECK_EQ(MPI_Alltoallw(MPI_IN_PLACE, NULL, NULL, NULL, w, counts, bytes, types, comm), MPI_SUCCESS);
    CHECK_EQ(MPI_Alltoallv(MPI_IN_PLACE, NULL, NULL, MPI_INT, w, counts, displs, MPI_INT, comm), MPI_SUCCESS);
    CHECK_CODE(MPI_Alltoallw(v, counts, bytes, types, w, counts, NULL, types, comm), MPI_ERR_ARG,
               "rdispls is NULL");
    types[size - 1] = MPI_DATATYPE_NULL;
    CHECK_CODE(MPI_Alltoallw(MPI_IN_PLACE, NULL, NULL, NULL, w, counts, bytes, types, comm), MPI_ERR_TYPE,
               "recvtypes[");
}

/* Arguments that the standard does not look at here are garbage, and nobody minds. */
static void insignificant_arguments(void)
{
    int mine = rank + 1, sum = 0, all[4] = {0};
    MPI_Datatype garbage = (MPI_Datatype)(void *)&mine;
    bool is_root = rank == 0;

    CHECK_EQ(MPI_Gather(&mine, 1, MPI_INT, is_root ? all : NULL, is_root ? 1 : -9,
                        is_root ? MPI_INT : garbage, 0, comm),
             MPI_SUCCESS);
    CHECK(!is_root || all[size - 1] == size);
    CHECK_EQ(MPI_Scatter(is_root ? all : NULL, is_root ? 1 : -9, is_root ? MPI_INT : garbage, &sum, 1,
                         MPI_INT, 0, comm),
             MPI_SUCCESS);
    CHECK_EQ(sum, rank + 1);
    CHECK_EQ(MPI_Allgather(MPI_IN_PLACE, -1, garbage, all, 1, MPI_INT, comm), MPI_SUCCESS);
    all[rank] = mine;
    CHECK_EQ(MPI_Gather(is_root ? MPI_IN_PLACE : &mine, is_root ? -1 : 1, is_root ? garbage : MPI_INT, all, 1,
                        MPI_INT, 0, comm),
             MPI_SUCCESS);
    CHECK_EQ(MPI_Reduce(&mine, is_root ? &sum : &mine, 1, MPI_INT, MPI_SUM, 0, comm), MPI_SUCCESS);
    CHECK(!is_root || sum == size * (size + 1) / 2);
}

/* An exclusive scan gives nothing to rank 0. */
static void nothing_below(void)
{
    int mine = rank + 1, sum = -1;
    MPI_Request request;

    for (int i = 0; i < 3; i++) {
        void *to = rank ? &sum : i == 0 ? NULL : i == 1 ? (void *)&mine : MPI_IN_PLACE;

        CHECK_EQ(MPI_Exscan(&mine, to, 1, MPI_INT, MPI_SUM, comm), MPI_SUCCESS);
        CHECK_EQ(sum, rank ? rank * (rank + 1) / 2 : -1);
        CHECK_EQ(MPI_Iexscan_c(&mine, to, 1, MPI_INT, MPI_SUM, comm, &request), MPI_SUCCESS);
        CHECK_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
    }
    CHECK_CODE(MPI_Exscan(MPI_IN_PLACE, NULL, 1, MPI_INT, MPI_SUM, comm), MPI_ERR_BUFFER, "recvbuf is NULL");
}

/* A rank without a piece of the result has no buffer for it; and it alone may say where its input is. */
static void no_piece(void)
{
    int in[4] = {1, 2, 3, 4}, out[4] = {1, 2, 3, 4}, counts[4];
    bool has_piece = rank != 0;

    for (int r = 0; r < size; r++)
        counts[r] = r != 0;
    CHECK_EQ(MPI_Reduce_scatter(in, has_piece ? out : NULL, counts, MPI_INT, MPI_SUM, comm), MPI_SUCCESS);
    CHECK_EQ(out[0], has_piece ? size * rank : 1);
    out[0] = 1;
    CHECK_EQ(MPI_Reduce_scatter(has_piece ? MPI_IN_PLACE : in, has_piece ? out : NULL, counts, MPI_INT,
                                MPI_SUM, comm),
             MPI_SUCCESS);
    CHECK_EQ(out[0], has_piece ? size * rank : 1);
    counts[0] = 1;
    CHECK_CODE(MPI_Reduce_scatter(in, NULL, counts, MPI_INT, MPI_SUM, comm), MPI_ERR_BUFFER,
               "recvbuf is NULL");
    counts[rank] = 0;
    if (size > 1)
        CHECK_CODE(MPI_Reduce_scatter(MPI_IN_PLACE, NULL, counts, MPI_INT, MPI_SUM, comm), MPI_ERR_BUFFER,
                   "recvbuf is NULL");
}

/* More items than can be counted together: no mistake where they have no data. */
static void countless(void)
{
    const MPI_Count many = (MPI_Count)1 << 62, each[4] = {many, many, many, many}, none[4] = {0};
    const MPI_Aint at[4] = {0}, nowhere[4] = {INT64_MAX, INT64_MIN, INT64_MAX / 3, -1};
    int v[4], w[4];
    MPI_Datatype empty;

    MPI_Type_contiguous(0, MPI_INT, &empty);
    MPI_Type_commit(&empty);
    CHECK_EQ(MPI_Bcast_c(v, many, empty, 0, comm), MPI_SUCCESS);
    CHECK_EQ(MPI_Gather_c(v, many, empty, w, many, empty, 0, comm), MPI_SUCCESS);
    CHECK_EQ(MPI_Allgather_c(v, many, empty, w, many, empty, comm), MPI_SUCCESS);
    CHECK_EQ(MPI_Alltoall_c(v, many, empty, w, many, empty, comm), MPI_SUCCESS);
    CHECK_EQ(MPI_Allgatherv_c(v, many, empty, w, each, at, empty, comm), MPI_SUCCESS);
    CHECK_EQ(MPI_Alltoallv_c(v, none, nowhere, MPI_INT, w, none, nowhere, MPI_INT, comm), MPI_SUCCESS);
    if (size > 1)
        CHECK_CODE(MPI_Allgather_c(v, many, MPI_INT, w, many, MPI_INT, comm), MPI_ERR_COUNT, "more bytes");
    MPI_Type_free(&empty);
}

int main(void)
{
    MPI_Init(NULL, NULL);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    comm = MPI_COMM_WORLD;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    wrong_roots();
    wrong_handles();
    wrong_buffers();
    wrong_counts();
    missing_displacements();
    insignificant_arguments();
    nothing_below();
    no_piece();
    countless();
    MPI_Finalize();
    return 0;
}
