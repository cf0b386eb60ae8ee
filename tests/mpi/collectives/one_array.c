/* ranks: 1 2 3 5  also: INKLING_ALLGATHER=ring  also: INKLING_ALLGATHER=mailbox,INKLING_ALLTOALL=mailbox */
/* Parts of one array are sent and others received, by displacements or by types with gaps. If no byte is
 * both, it is no error that both buffers have one address. If a byte is both, it is one. */
#include "check.h"

enum {
    MOST = 8,
    FROM = 20, /* where the received data is */
    INTS = 64,
    CALLS = 12 /* shared-memory collectives need some */
};

static MPI_Comm comm;
static int rank, size;
static int array[INTS];
static int counts[MOST], sent_at[MOST], received_at[MOST];
static MPI_Datatype ints[MOST], behind; /* behind: an int FROM ints ahead, one int long */

static void fill(void)
{
    for (int i = 0; i < INTS; i++)
        array[i] = rank * 100 + i;
    for (int i = 0; i < MOST; i++) {
        counts[i] = 1;
        ints[i] = MPI_INT;
        sent_at[i] = i;
        received_at[i] = FROM + i;
    }
}

/* From each rank its int `step` * (own rank). */
static void check(int step)
{
    for (int r = 0; r < size; r++) {
        CHECK_EQ(array[FROM + r], r * 100 + rank * step);
        CHECK_EQ(array[r], rank * 100 + r);
    }
    fill();
}

static void all_to_all(void)
{
    MPI_Aint bytes[2 * MOST];
    MPI_Count large[MOST];
    int offsets[2 * MOST];
    MPI_Request r;

    CHECK_EQ(MPI_Alltoallv(array, counts, sent_at, MPI_INT, array, counts, received_at, MPI_INT, comm),
             MPI_SUCCESS);
    check(1);
    CHECK_EQ(MPI_Ialltoallv(array, counts, sent_at, MPI_INT, array, counts, sent_at, behind, comm, &r),
             MPI_SUCCESS);
    CHECK_EQ(MPI_Wait(&r, MPI_STATUS_IGNORE), MPI_SUCCESS);
    check(1);
    for (int i = 0; i < MOST; i++) {
        offsets[i] = (int)(bytes[i] = i * (int)sizeof(int));
        offsets[MOST + i] = (int)(bytes[MOST + i] = (FROM + i) * (int)sizeof(int));
        large[i] = 1;
    }
    CHECK_EQ(MPI_Alltoallw(array, counts, offsets, ints, array, counts, offsets + MOST, ints, comm),
             MPI_SUCCESS);
    check(1);
    CHECK_EQ(MPI_Alltoallw_c(array, large, bytes, ints, array, large, bytes + MOST, ints, comm), MPI_SUCCESS);
    check(1);
    CHECK_EQ(MPI_Alltoall(array, 1, MPI_INT, array, 1, behind, comm), MPI_SUCCESS);
    check(1);
}

static void all_gather(void)
{
    CHECK_EQ(MPI_Allgather(array, 1, MPI_INT, array, 1, behind, comm), MPI_SUCCESS);
    check(0);
    CHECK_EQ(MPI_Allgatherv(array, 1, MPI_INT, array, counts, received_at, MPI_INT, comm), MPI_SUCCESS);
    check(0);
}

static void from_one_and_to_one(int root)
{
    int is_root = rank == root;

    CHECK_EQ(MPI_Gatherv(array, 1, MPI_INT, array, counts, received_at, MPI_INT, root, comm), MPI_SUCCESS);
    for (int i = 0; i < size; i++)
        CHECK_EQ(array[FROM + i], is_root ? i * 100 : rank * 100 + FROM + i);
    fill();
    CHECK_EQ(MPI_Scatterv(array, counts, sent_at, MPI_INT, array, 1, behind, root, comm), MPI_SUCCESS);
    CHECK_EQ(array[FROM], root * 100 + rank);
    fill();
}

/* Interleaved: every other int is sent. The spans overlap, and the bytes do not. */
static void interleaved(void)
{
    for (int i = 0; i < MOST; i++) {
        sent_at[i] = 2 * i;
        received_at[i] = 2 * i + 1;
    }
    CHECK_EQ(MPI_Alltoallv(array, counts, sent_at, MPI_INT, array, counts, received_at, MPI_INT, comm),
             MPI_SUCCESS);
    for (int r = 0; r < size; r++)
        CHECK_EQ(array[2 * r + 1], r * 100 + 2 * rank);
    fill();
    received_at[size - 1] = sent_at[0] = 7;
    CHECK_EQ(
        class_of(MPI_Alltoallv(array, counts, sent_at, MPI_INT, array, counts, received_at, MPI_INT, comm)),
        MPI_ERR_BUFFER);
    for (int i = 0; i < MOST; i++)
        counts[i] = 0; /* of nothing, no byte is both */
    CHECK_EQ(MPI_Alltoallv(array, counts, sent_at, MPI_INT, array, counts, received_at, MPI_INT, comm),
             MPI_SUCCESS);
    fill();
}

static void truly_the_same(void)
{
    CHECK_EQ(class_of(MPI_Allgather(array, 1, MPI_INT, array, 1, MPI_INT, comm)), MPI_ERR_BUFFER);
    CHECK_EQ(class_of(MPI_Alltoall(array, 1, behind, array, 1, behind, comm)), MPI_ERR_BUFFER);
    CHECK_EQ(class_of(MPI_Alltoallv(array, counts, sent_at, MPI_INT, array, counts, sent_at, MPI_INT, comm)),
             MPI_ERR_BUFFER);
    CHECK_EQ(class_of(MPI_Allreduce(array, array, 1, MPI_INT, MPI_SUM, comm)), MPI_ERR_BUFFER);
    CHECK_EQ(class_of(MPI_Reduce_scatter_block(array, array, 1, MPI_INT, MPI_SUM, comm)), MPI_ERR_BUFFER);
    CHECK_EQ(class_of(MPI_Reduce_scatter(array, array, counts, MPI_INT, MPI_SUM, comm)), MPI_ERR_BUFFER);
}

int main(void)
{
    MPI_Datatype shifted;
    int one = 1, from = FROM;

    MPI_Init(NULL, NULL);
    comm = MPI_COMM_WORLD;
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    MPI_Type_indexed(1, &one, &from, MPI_INT, &shifted);
    MPI_Type_create_resized(shifted, 0, sizeof(int), &behind);
    MPI_Type_commit(&behind);
    fill();
    for (int i = 0; i < CALLS; i++) {
        all_to_all();
        all_gather();
        from_one_and_to_one(i % size);
    }
    interleaved();
    truly_the_same();
    MPI_Type_free(&behind);
    MPI_Type_free(&shifted);
    MPI_Finalize();
    return 0;
}
