/* counts COLLECTIVE BYTES: what the schedules of a persistent collective send, of all ranks together, as rank 0 prints it:
 *
 *     MESSAGES BYTES MOST      messages and bytes of all ranks, and the messages of the rank that sends most
 *
 * INKLING_X=ALGORITHM and INKLING_HOST_RANKS say how. Linked with the library's objects, which have the steps of a request. Each call is
 * made once as well, so that the schedule counted is one that gives a right end. */
#include "check.h"
#include "coll/sched/schedule.h"
#include "request/request.h"

static int ranks;

static int make(const char *name, char *in, char *out, int bytes, MPI_Request *request)
{
    MPI_Comm comm = MPI_COMM_WORLD;
    int items = bytes / 8;

    if (strcmp(name, "barrier") == 0)
        return MPI_Barrier_init(comm, MPI_INFO_NULL, request);
    if (strcmp(name, "bcast") == 0)
        return MPI_Bcast_init(out, bytes, MPI_BYTE, 0, comm, MPI_INFO_NULL, request);
    if (strcmp(name, "reduce") == 0)
        return MPI_Reduce_init(in, out, items, MPI_UINT64_T, MPI_BXOR, 0, comm, MPI_INFO_NULL, request);
    if (strcmp(name, "allreduce") == 0)
        return MPI_Allreduce_init(in, out, items, MPI_UINT64_T, MPI_BXOR, comm, MPI_INFO_NULL, request);
    if (strcmp(name, "allgather") == 0)
        return MPI_Allgather_init(in, bytes, MPI_BYTE, out, bytes, MPI_BYTE, comm, MPI_INFO_NULL, request);
    if (strcmp(name, "alltoall") == 0)
        return MPI_Alltoall_init(in, bytes, MPI_BYTE, out, bytes, MPI_BYTE, comm, MPI_INFO_NULL, request);
    if (strcmp(name, "reduce_scatter") == 0)
        return MPI_Reduce_scatter_block_init(in, out, items, MPI_UINT64_T, MPI_BXOR, comm, MPI_INFO_NULL,
                                             request);
    if (strcmp(name, "gather") == 0)
        return MPI_Gather_init(in, bytes, MPI_BYTE, out, bytes, MPI_BYTE, 0, comm, MPI_INFO_NULL, request);
    if (strcmp(name, "scatter") == 0)
        return MPI_Scatter_init(in, bytes, MPI_BYTE, out, bytes, MPI_BYTE, 0, comm, MPI_INFO_NULL, request);
    return MPI_Scan_init(in, out, items, MPI_UINT64_T, MPI_BXOR, comm, MPI_INFO_NULL, request);
}

int main(int argc, char **argv)
{
    unsigned long long sent[2] = {0}, all[2], most;
    MPI_Request request;
    struct schedule *s;
    char *in, *out;
    int rank, bytes;

    CHECK_EQ(MPI_Init(&argc, &argv), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_size(MPI_COMM_WORLD, &ranks), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_rank(MPI_COMM_WORLD, &rank), MPI_SUCCESS);
    bytes = atoi(argv[2]);
    in = calloc((size_t)ranks, (size_t)bytes + 8);
    out = calloc((size_t)ranks, (size_t)bytes + 8);
    CHECK(in && out);
    CHECK_EQ(make(argv[1], in, out, bytes, &request), MPI_SUCCESS);
    s = *(struct schedule **)(void *)request_find(request)->space;
    for (int i = 0; i < s->steps; i++)
        if (s->step[i].kind == STEP_SEND) {
            sent[0]++;
            sent[1] += block_bytes(s->step[i].from);
        }
    CHECK_EQ(MPI_Start(&request), MPI_SUCCESS);
    CHECK_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK_EQ(MPI_Request_free(&request), MPI_SUCCESS);
    CHECK_EQ(MPI_Reduce(sent, all, 2, MPI_UNSIGNED_LONG_LONG, MPI_SUM, 0, MPI_COMM_WORLD), MPI_SUCCESS);
    CHECK_EQ(MPI_Reduce(sent, &most, 1, MPI_UNSIGNED_LONG_LONG, MPI_MAX, 0, MPI_COMM_WORLD), MPI_SUCCESS);
    if (rank == 0)
        printf("%llu %llu %llu\n", all[0], all[1], most);
    free(in);
    free(out);
    CHECK_EQ(MPI_Finalize(), MPI_SUCCESS);
    return 0;
}
