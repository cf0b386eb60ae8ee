/* ranks: 1 2 3 */
/* Wrong arguments of collectives. Every rank makes the same mistake, so that nobody waits; what is not
 * significant on a rank may be anything. */
#include "check.h"

#include <stdbool.h>

static MPI_Comm comm;
static int rank, size;

static void check_error(int line, int code, int class, const char *word)
{
    char text[MPI_MAX_ERROR_STRING];
    int found = -1, length;

    MPI_Error_class(code, &found);
    MPI_Error_string(code, text, &length);
    if (found != class || !strstr(text, word)) {
        fprintf(stderr, "line %d: class %d, not %d; \"%s\" does not speak of %s\n", line, found, class, text,
                word);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}
#define EXPECT(call, class, word) check_error(__LINE__, call, class, word)

static void wrong_roots(void)
{
    int v = 0;

    EXPECT(MPI_Bcast(&v, 1, MPI_INT, size, comm), MPI_ERR_ROOT, "root");
    EXPECT(MPI_Bcast(&v, 1, MPI_INT, -1, comm), MPI_ERR_ROOT, "root");
    EXPECT(MPI_Bcast(&v, 1, MPI_INT, MPI_ROOT, comm), MPI_ERR_ROOT, "root");
    EXPECT(MPI_Reduce(&v, NULL, 1, MPI_INT, MPI_SUM, MPI_PROC_NULL, comm), MPI_ERR_ROOT, "root");
}

static void wrong_handles(void)
{
    int v = 0, w = 0;

    EXPECT(MPI_Barrier(MPI_COMM_NULL), MPI_ERR_COMM, "MPI_COMM_NULL");
    EXPECT(MPI_Allreduce(&v, &w, 1, MPI_INT, MPI_OP_NULL, comm), MPI_ERR_OP, "MPI_OP_NULL");
    EXPECT(MPI_Allreduce(&v, &w, 1, MPI_INT, (MPI_Op)&v, comm), MPI_ERR_OP, "op");
    EXPECT(MPI_Allreduce(&v, &w, 1, MPI_DATATYPE_NULL, MPI_SUM, comm), MPI_ERR_TYPE, "MPI_DATATYPE_NULL");
    EXPECT(MPI_Allreduce_c(&v, &w, -1, MPI_INT, MPI_SUM, comm), MPI_ERR_COUNT, "count");
}

static void wrong_buffers(void)
{
    int v[4] = {0};

    EXPECT(MPI_Bcast(MPI_IN_PLACE, 1, MPI_INT, 0, comm), MPI_ERR_BUFFER, "MPI_IN_PLACE");
    EXPECT(MPI_Bcast(NULL, 1, MPI_INT, 0, comm), MPI_ERR_BUFFER, "buffer is NULL");
    EXPECT(MPI_Allreduce(v, v, 1, MPI_INT, MPI_SUM, comm), MPI_ERR_BUFFER, "same memory");
    EXPECT(MPI_Allreduce(v, MPI_IN_PLACE, 1, MPI_INT, MPI_SUM, comm), MPI_ERR_BUFFER,
           "recvbuf is MPI_IN_PLACE");
    EXPECT(MPI_Allgather(v, 1, MPI_INT, v, 1, MPI_INT, comm), MPI_ERR_BUFFER, "same memory");
    EXPECT(MPI_Allreduce(NULL, v, 1, MPI_INT, MPI_SUM, comm), MPI_ERR_BUFFER, "sendbuf is NULL");
    if (size > 1 && rank > 0)
        EXPECT(MPI_Gather(MPI_IN_PLACE, 1, MPI_INT, v, 1, MPI_INT, 0, MPI_COMM_WORLD), MPI_ERR_BUFFER,
               "only the root");
    CHECK_EQ(MPI_Allreduce(NULL, NULL, 0, MPI_INT, MPI_SUM, comm), MPI_SUCCESS);
}

static void wrong_counts(void)
{
    int v[4] = {0}, w[16] = {0}, counts[4] = {1, 1, 1, 1}, displs[4] = {0, 1, 2, 3};

    counts[size - 1] = -2;
    EXPECT(MPI_Allgatherv(v, 1, MPI_INT, w, counts, displs, MPI_INT, comm), MPI_ERR_COUNT,
           "] -2 is negative");
    EXPECT(MPI_Allgatherv(v, 1, MPI_INT, w, NULL, displs, MPI_INT, comm), MPI_ERR_ARG, "recvcounts is NULL");
    EXPECT(MPI_Alltoallv(v, counts, displs, MPI_INT, w, counts, displs, MPI_INT, comm), MPI_ERR_COUNT,
           "sendcounts[");
    EXPECT(MPI_Reduce_scatter(v, w, counts, MPI_INT, MPI_SUM, comm), MPI_ERR_COUNT, "recvcounts[");
}

/* The arrays of displacements are looked at where their buffer is, in every form. */
static void missing_displacements(void)
{
    int v[4] = {0}, w[16] = {0}, counts[4] = {1, 1, 1, 1}, displs[4] = {0, 1, 2, 3};
    MPI_Datatype types[4] = {MPI_INT, MPI_INT, MPI_INT, MPI_INT};
    MPI_Count large[4] = {1, 1, 1, 1};
    MPI_Aint wide[4] = {0, 1, 2, 3};
    MPI_Request r;

    EXPECT(MPI_Allgatherv(v, 1, MPI_INT, w, counts, NULL, MPI_INT, comm), MPI_ERR_ARG, "displs is NULL");
    EXPECT(MPI_Alltoallv(v, counts, NULL, MPI_INT, w, counts, displs, MPI_INT, comm), MPI_ERR_ARG,
           "sdispls is NULL");
    EXPECT(MPI_Alltoallv(v, counts, displs, MPI_INT, w, counts, NULL, MPI_INT, comm), MPI_ERR_ARG,
           "rdispls is NULL");
    EXPECT(MPI_Alltoallw(v, counts, NULL, types, w, counts, displs, types, comm), MPI_ERR_ARG,
           "sdispls is NULL");
    EXPECT(MPI_Alltoallw_c(v, large, wide, types, w, large, NULL, types, comm), MPI_ERR_ARG,
           "rdispls is NULL");
    EXPECT(MPI_Alltoallw(MPI_IN_PLACE, NULL, NULL, NULL, w, counts, NULL, types, comm), MPI_ERR_ARG,
           "rdispls is NULL");
    EXPECT(MPI_Ialltoallw(v, counts, NULL, types, w, counts, displs, types, comm, &r), MPI_ERR_ARG,
           "sdispls is NULL");
    EXPECT(MPI_Alltoallv_init(v, counts, NULL, MPI_INT, w, counts, displs, MPI_INT, comm, MPI_INFO_NULL, &r),
           MPI_ERR_ARG, "sdispls is NULL");
    EXPECT(MPI_Gatherv(v, 1, MPI_INT, w, counts, NULL, MPI_INT, 0, MPI_COMM_SELF), MPI_ERR_ARG,
           "displs is NULL");
    EXPECT(MPI_Igatherv_c(v, 1, MPI_INT, w, large, NULL, MPI_INT, 0, MPI_COMM_SELF, &r), MPI_ERR_ARG,
           "displs is NULL");
    EXPECT(MPI_Scatterv(v, counts, NULL, MPI_INT, w, 1, MPI_INT, 0, MPI_COMM_SELF), MPI_ERR_ARG,
           "displs is NULL");
    CHECK_EQ(MPI_Gatherv(v, 1, MPI_INT, w, rank ? NULL : counts, rank ? NULL : displs, MPI_INT, 0, comm),
             MPI_SUCCESS);
    CHECK_EQ(MPI_Scatterv(w, rank ? NULL : counts, rank ? NULL : displs, MPI_INT, v, 1, MPI_INT, 0, comm),
             MPI_SUCCESS);
    CHECK_EQ(MPI_Alltoallw(MPI_IN_PLACE, NULL, NULL, NULL, w, counts, displs, types, comm), MPI_SUCCESS);
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
    MPI_Finalize();
    return 0;
}
