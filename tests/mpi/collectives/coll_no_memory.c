/* ranks: 4 5  also: INKLING_TRANSPORT=ofi  not: address  not: thread */
/* A nonblocking reduction of many steps on a rank that has no memory for one of them, or for its request: it ends on all ranks, with the sum
 * or with an error, and the next one succeeds. */
#include "failing_memory.h"

#include <stdlib.h>

enum {
    ITEMS = 128 << 10,
    ALLOCATIONS = 12 /* more than the call has */
};

static int *in, *out;
static int rank, size;

static void check_sum(void)
{
    int wrong = 0;

    for (int i = 0; i < ITEMS; i++)
        wrong += out[i] != size * i + size * (size - 1) / 2;
    CHECK_EQ(wrong, 0);
}

/* The n-th allocation of this rank fails; 0: none. Returns whether it has the sum. */
static bool sum(long n)
{
    MPI_Request request = MPI_REQUEST_NULL;
    int code;

    for (int i = 0; i < ITEMS; i++)
        out[i] = -1;
    until_failure = n;
    code = TRY(MPI_Iallreduce(in, out, ITEMS, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request));
    until_failure = 0;
    if (code)
        CHECK(n > 0);
    else
        CHECK(request != MPI_REQUEST_NULL);
    if (code || MPI_Wait(&request, MPI_STATUS_IGNORE))
        return false;
    check_sum();
    return true;
}

int main(void)
{
    MPI_Init(NULL, NULL);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    in = malloc(ITEMS * sizeof *in);
    out = malloc(ITEMS * sizeof *out);
    for (int i = 0; i < ITEMS; i++)
        in[i] = i + rank;
    CHECK(sum(0));
    for (int victim = 0; victim < size; victim += size - 1)
        for (long n = 1; n < ALLOCATIONS; n++) {
            sum(rank == victim ? n : 0);
            CHECK(sum(0));
        }
    free(in);
    free(out);
    MPI_Finalize();
    return 0;
}
