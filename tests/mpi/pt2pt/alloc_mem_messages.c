/* ranks: 1 2 4 timeout: 120 also: INKLING_CMA=false also: INKLING_EAGER_LIMIT=0 */
/* Messages from and into memory of MPI_Alloc_mem: both buffers, one of them, parts of blocks, types with
 * gaps, blocks that are freed and taken again between messages. */
#include "check.h"

enum {
    LARGEST = 3 << 20,
    GUARD = 64
};

static int rank, right, left;

/* At byte `at` of message `number` of rank `of`. */
static unsigned char byte_of(int of, int number, size_t at)
{
    return (unsigned char)(at * 7 + (at >> 12) + (size_t)number * 31 + (size_t)of * 101 + 1);
}

static unsigned char *take(int from_mpi, size_t bytes)
{
    unsigned char *p = NULL;

    if (!from_mpi)
        p = malloc(bytes);
    else
        CHECK_EQ(MPI_Alloc_mem((MPI_Aint)bytes, MPI_INFO_NULL, &p), MPI_SUCCESS);
    CHECK(p != NULL);
    return p;
}

static void give(int from_mpi, unsigned char *p)
{
    if (from_mpi)
        CHECK_EQ(MPI_Free_mem(p), MPI_SUCCESS);
    else
        free(p);
}

/* Everyone sends to its right, `bytes` from and to offset `skew` of a block. */
static void shift(int send_mpi, int recv_mpi, size_t bytes, size_t skew, int number)
{
    unsigned char *out = take(send_mpi, bytes + skew + GUARD), *in = take(recv_mpi, bytes + skew + GUARD);
    MPI_Status status;
    int count;

    for (size_t i = 0; i < bytes; i++)
        out[skew + i] = byte_of(rank, number, i);
    memset(in, 0xee, bytes + skew + GUARD);
    CHECK_EQ(MPI_Sendrecv(out + skew, (int)bytes, MPI_BYTE, right, number, in + skew, (int)bytes + GUARD / 2,
                          MPI_BYTE, left, number, MPI_COMM_WORLD, &status),
             MPI_SUCCESS);
    CHECK_EQ(MPI_Get_count(&status, MPI_BYTE, &count), MPI_SUCCESS);
    CHECK_EQ(count, bytes);
    for (size_t i = 0; i < bytes; i++)
        CHECK_EQ(in[skew + i], byte_of(left, number, i));
    for (size_t i = 0; i < skew; i++)
        CHECK_EQ(in[i], 0xee);
    for (size_t i = 0; i < GUARD; i++)
        CHECK_EQ(in[skew + bytes + i], 0xee);
    give(send_mpi, out);
    give(recv_mpi, in);
}

static void places_and_sizes(void)
{
    static const size_t size[] = {0, 1, 100, 4096, 4097, 65536, 100001, 1 << 20, LARGEST};

    for (int number = 0; number < (int)(sizeof size / sizeof *size) * 4; number++)
        shift(number & 1, number & 2, size[number / 4], number % 3 ? 0 : 129, number);
}

/* A column of a matrix in a block, into a row of one, and back. */
static void types(void)
{
    enum {
        N = 400
    };
    int *out = (int *)(void *)take(1, N * N * sizeof *out), *in = (int *)(void *)take(1, N * N * sizeof *in);
    MPI_Datatype column;

    CHECK_EQ(MPI_Type_vector(N * N / 2, 1, 2, MPI_INT, &column), MPI_SUCCESS);
    CHECK_EQ(MPI_Type_commit(&column), MPI_SUCCESS);
    for (int i = 0; i < N * N; i++) {
        out[i] = rank * 1000000 + i;
        in[i] = -1;
    }
    CHECK_EQ(MPI_Sendrecv(out, N * N / 2, MPI_INT, right, 0, in, 1, column, left, 0, MPI_COMM_WORLD,
                          MPI_STATUS_IGNORE),
             MPI_SUCCESS);
    for (int i = 0; i < N * N; i++)
        CHECK_EQ(in[i], i % 2 ? -1 : left * 1000000 + i / 2);
    CHECK_EQ(MPI_Sendrecv(out, 1, column, right, 0, in, N * N / 2, MPI_INT, left, 0, MPI_COMM_WORLD,
                          MPI_STATUS_IGNORE),
             MPI_SUCCESS);
    for (int i = 0; i < N * N / 2; i++)
        CHECK_EQ(in[i], left * 1000000 + 2 * i);
    CHECK_EQ(MPI_Type_free(&column), MPI_SUCCESS);
    give(1, (unsigned char *)out);
    give(1, (unsigned char *)in);
}

/* A message longer than its buffer writes nothing behind it. */
static void truncation(void)
{
    unsigned char *out = take(1, LARGEST), *in = take(1, LARGEST);
    MPI_Status status;
    int class;

    memset(out, 1, LARGEST);
    memset(in, 2, LARGEST);
    CHECK_EQ(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN), MPI_SUCCESS);
    class =
        MPI_Sendrecv(out, LARGEST, MPI_BYTE, right, 0, in, 50000, MPI_BYTE, left, 0, MPI_COMM_WORLD, &status);
    CHECK_EQ(class, MPI_ERR_TRUNCATE);
    for (int i = 0; i < LARGEST; i++)
        CHECK(in[i] == (i < 50000 ? 1 : 2));
    CHECK_EQ(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL), MPI_SUCCESS);
    give(1, out);
    give(1, in);
}

/* Pages come and go under a peer that has mapped them. */
static void taken_and_freed(void)
{
    unsigned random = 1;

    for (int number = 0; number < 60; number++) {
        random = random * 1103515245 + 12345;
        shift(1, number % 2, 5000 + (random >> 8) % LARGEST, (random >> 4) % 100, number);
    }
}

static void collectives(void)
{
    enum {
        COUNT = 100000
    };
    int size, *mine = (int *)(void *)take(1, COUNT * sizeof *mine),
              *sum = (int *)(void *)take(1, COUNT * sizeof *sum);

    CHECK_EQ(MPI_Comm_size(MPI_COMM_WORLD, &size), MPI_SUCCESS);
    for (int i = 0; i < COUNT; i++)
        mine[i] = i + rank;
    CHECK_EQ(MPI_Allreduce(mine, sum, COUNT, MPI_INT, MPI_SUM, MPI_COMM_WORLD), MPI_SUCCESS);
    for (int i = 0; i < COUNT; i++)
        CHECK_EQ(sum[i], i * size + size * (size - 1) / 2);
    CHECK_EQ(MPI_Bcast(mine, COUNT, MPI_INT, size - 1, MPI_COMM_WORLD), MPI_SUCCESS);
    for (int i = 0; i < COUNT; i++)
        CHECK_EQ(mine[i], i + size - 1);
    give(1, (unsigned char *)mine);
    give(1, (unsigned char *)sum);
}

int main(int argc, char **argv)
{
    int size;

    CHECK_EQ(MPI_Init(&argc, &argv), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_rank(MPI_COMM_WORLD, &rank), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_size(MPI_COMM_WORLD, &size), MPI_SUCCESS);
    right = (rank + 1) % size;
    left = (rank + size - 1) % size;
    places_and_sizes();
    types();
    truncation();
    taken_and_freed();
    collectives();
    CHECK_EQ(MPI_Finalize(), MPI_SUCCESS);
    return 0;
}
