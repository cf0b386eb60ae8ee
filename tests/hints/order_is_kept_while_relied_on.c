/* ranks: 1 2 4 also: INKLING_ALLREDUCE=mailbox */
/* The assertion that persistent collectives are started in the same order may be taken back while requests
 * live that were made under it. The reported value binds: while it is true the starts keep one order;
 * afterwards each rank has an order of its own. No result is ever wrong. */
#include "hints.h"

#include <stdbool.h>

enum {
    REQUESTS = 4,
    MOST = 3000
};

static int rank, size;
static int in[REQUESTS][MOST], out[REQUESTS][MOST];
static MPI_Request request[REQUESTS];

static void make(MPI_Comm comm, int count)
{
    for (int i = 0; i < REQUESTS; i++)
        CHECK_EQ(MPI_Allreduce_init(in[i], out[i], count, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL, &request[i]),
                 MPI_SUCCESS);
}

static void start_all(MPI_Comm comm, int count, int round)
{
    int first = strcmp(hint_of(comm, STRICT), "true") == 0 ? 0 : rank;

    for (int i = 0; i < REQUESTS; i++)
        for (int k = 0; k < count; k++)
            in[i][k] = rank + 10 * i + round;
    for (int i = 0; i < REQUESTS; i++)
        CHECK_EQ(MPI_Start(&request[(first + i) % REQUESTS]), MPI_SUCCESS);
    CHECK_EQ(MPI_Waitall(REQUESTS, request, MPI_STATUSES_IGNORE), MPI_SUCCESS);
    for (int i = 0; i < REQUESTS; i++)
        for (int k = 0; k < count; k++)
            CHECK_EQ(out[i][k], size * (10 * i + round) + size * (size - 1) / 2);
}

/* Whether the starts of requests for this many ints are told apart by their order. Those that use shared
 * memory are; the library chooses it by itself for a few bytes. */
static bool is_relied_on(int count)
{
    return size > 1 && (count == 1 || getenv("INKLING_ALLREDUCE"));
}

static void take_back_and_start(MPI_Comm comm, int count, bool first_rank_frees)
{
    int report[2], all[2];

    set_hint(comm, STRICT, "true");
    make(comm, count);
    start_all(comm, count, 0);
    if (first_rank_frees && rank == 0)
        for (int i = 0; i < REQUESTS; i++)
            CHECK_EQ(MPI_Request_free(&request[i]), MPI_SUCCESS);
    set_hint(comm, STRICT, "false");
    report[0] = strcmp(hint_of(comm, STRICT), "true") == 0;
    report[1] = !report[0];
    CHECK_EQ(MPI_Allreduce(report, all, 2, MPI_INT, MPI_MAX, comm), MPI_SUCCESS);
    CHECK_EQ(all[0] + all[1], 1); /* all say the same: true as long as any rank has such a request */
    CHECK(report[0] || !is_relied_on(count));
    CHECK(!report[0] || size > 1);
    for (int round = 1; round < 5 && !first_rank_frees; round++)
        start_all(comm, count, round);
    for (int i = 0; i < REQUESTS && request[i] != MPI_REQUEST_NULL; i++)
        CHECK_EQ(MPI_Request_free(&request[i]), MPI_SUCCESS);
    CHECK_EQ(MPI_Barrier(comm), MPI_SUCCESS);
    set_hint(comm, STRICT, "false"); /* nobody relies on it any more */
    CHECK_HINT(comm, STRICT, "false");
    make(comm, count);
    start_all(comm, count, 7);
    for (int i = 0; i < REQUESTS; i++)
        CHECK_EQ(MPI_Request_free(&request[i]), MPI_SUCCESS);
}

int main(void)
{
    MPI_Comm comm;

    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    CHECK_EQ(MPI_Comm_dup(MPI_COMM_WORLD, &comm), MPI_SUCCESS);
    for (int i = 0; i < 2; i++) {
        take_back_and_start(comm, 1, i);
        take_back_and_start(comm, MOST, i);
    }
    CHECK_EQ(MPI_Comm_free(&comm), MPI_SUCCESS);
    MPI_Finalize();
    return 0;
}
