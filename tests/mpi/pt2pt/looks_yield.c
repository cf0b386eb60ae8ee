/* ranks: 1 2 */
/* Calls that look for a message or a request and do not wait give up the core time and again, where a thread that needs it
 * may have none: each of them, if it is called in a loop and finds nothing. */
#include "check.h"

#include <mpi.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    LOOKS = 1000,
    REQUESTS = 2
};

static int yields;

/* In place of the C library's; for the library, too. */
__attribute__((visibility("default"))) int sched_yield(void)
{
    yields++;
    return (int)syscall(SYS_sched_yield);
}

static MPI_Request request[REQUESTS];
static int flag, index_of, indices[REQUESTS], found;

static void test(void)
{
    MPI_Test(&request[0], &flag, MPI_STATUS_IGNORE);
}

static void testany(void)
{
    MPI_Testany(REQUESTS, request, &index_of, &flag, MPI_STATUS_IGNORE);
}

static void testsome(void)
{
    MPI_Testsome(REQUESTS, request, &found, indices, MPI_STATUSES_IGNORE);
    flag = found;
}

static void testall(void)
{
    MPI_Testall(REQUESTS, request, &flag, MPI_STATUSES_IGNORE);
}

static void get_status(void)
{
    MPI_Request_get_status(request[0], &flag, MPI_STATUS_IGNORE);
}

static void get_status_all(void)
{
    MPI_Request_get_status_all(REQUESTS, request, &flag, MPI_STATUSES_IGNORE);
}

static void get_status_any(void)
{
    MPI_Request_get_status_any(REQUESTS, request, &index_of, &flag, MPI_STATUS_IGNORE);
}

static void get_status_some(void)
{
    MPI_Request_get_status_some(REQUESTS, request, &found, indices, MPI_STATUSES_IGNORE);
    flag = found;
}

static void iprobe(void)
{
    MPI_Iprobe(MPI_ANY_SOURCE, 99, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
}

static void improbe(void)
{
    MPI_Message message;

    MPI_Improbe(MPI_ANY_SOURCE, 99, MPI_COMM_WORLD, &flag, &message, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    static void (*const look[])(void) = {test,           testany,        testsome,        testall, get_status,
                                         get_status_all, get_status_any, get_status_some, iprobe,  improbe};
    int granted, rank, never[REQUESTS];

    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &granted);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    CHECK_EQ(granted, MPI_THREAD_MULTIPLE);
    for (int i = 0; i < REQUESTS; i++)
        MPI_Irecv(&never[i], 1, MPI_INT, rank, i, MPI_COMM_WORLD, &request[i]);
    for (size_t i = 0; i < sizeof look / sizeof *look; i++) {
        yields = 0;
        for (int k = 0; k < LOOKS; k++) {
            look[i]();
            CHECK(!flag);
        }
        if (yields < 8)
            fprintf(stderr, "look %zu yields %d times in %d calls\n", i, yields, LOOKS);
        CHECK(yields >= 8);
    }
    for (int i = 0; i < REQUESTS; i++)
        MPI_Cancel(&request[i]);
    MPI_Waitall(REQUESTS, request, MPI_STATUSES_IGNORE);
    MPI_Finalize();
    return 0;
}
