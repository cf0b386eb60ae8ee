/* ranks: 1  not: address  not: thread */
/* Calls for more requests than have room on the stack, one of which is done: each leaves no memory behind, and says so when
 * there is none, or when a handle is wrong, and then takes nothing. */
#include "failing_memory.h"

#include <string.h>

enum {
    MANY = 200
};

static MPI_Request request[MANY], wrong[MANY];
static MPI_Status status[MANY];
static int done[MANY];

static int wait_any(MPI_Request *r)
{
    int index;

    return TRY(MPI_Waitany(MANY, r, &index, status));
}

static int test_any(MPI_Request *r)
{
    int index, flag;

    return TRY(MPI_Testany(MANY, r, &index, &flag, status));
}

static int wait_some(MPI_Request *r)
{
    int count;

    return TRY(MPI_Waitsome(MANY, r, &count, done, status));
}

static int test_some(MPI_Request *r)
{
    int count;

    return TRY(MPI_Testsome(MANY, r, &count, done, status));
}

static int wait_all(MPI_Request *r)
{
    return TRY(MPI_Waitall(MANY, r, status));
}

static int test_all(MPI_Request *r)
{
    int flag;

    return TRY(MPI_Testall(MANY, r, &flag, status));
}

static int get_status_any(MPI_Request *r)
{
    int index, flag;

    return TRY(MPI_Request_get_status_any(MANY, r, &index, &flag, status));
}

static int get_status_all(MPI_Request *r)
{
    int flag;

    return TRY(MPI_Request_get_status_all(MANY, r, &flag, status));
}

static int get_status_some(MPI_Request *r)
{
    int count;

    return TRY(MPI_Request_get_status_some(MANY, r, &count, done, status));
}

static const struct {
    const char *name;
    int (*call)(MPI_Request *r);
    bool only_looks;
} calls[] = {
    {"MPI_Waitany", wait_any, false},
    {"MPI_Testany", test_any, false},
    {"MPI_Waitsome", wait_some, false},
    {"MPI_Testsome", test_some, false},
    {"MPI_Waitall", wait_all, false},
    {"MPI_Testall", test_all, false},
    {"MPI_Request_get_status_any", get_status_any, true},
    {"MPI_Request_get_status_all", get_status_all, true},
    {"MPI_Request_get_status_some", get_status_some, true},
};

/* The last request is done, all others are null. */
static void take(size_t which)
{
    int got = 0, seven = 7;
    long before;

    CHECK_EQ(MPI_Irecv(&got, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &request[MANY - 1]), MPI_SUCCESS);
    CHECK_EQ(MPI_Send(&seven, 1, MPI_INT, 0, 0, MPI_COMM_SELF), MPI_SUCCESS);
    before = live;
    until_failure = 1;
    CHECK_EQ(class_of(calls[which].call(request)), MPI_ERR_NO_MEM);
    CHECK_EQ(until_failure, 0);
    CHECK(request[MANY - 1] != MPI_REQUEST_NULL);
    memcpy(wrong, request, sizeof wrong);
    wrong[1] = (MPI_Request)MPI_COMM_SELF;
    CHECK_EQ(class_of(calls[which].call(wrong)), MPI_ERR_REQUEST);
    CHECK(wrong[MANY - 1] == request[MANY - 1]);
    CHECK_EQ(calls[which].call(request), MPI_SUCCESS);
    CHECK_EQ(request[MANY - 1] != MPI_REQUEST_NULL, calls[which].only_looks);
    if (live > before)
        fprintf(stderr, "%s leaves %ld blocks\n", calls[which].name, live - before);
    CHECK(live <= before);
    CHECK_EQ(MPI_Wait(&request[MANY - 1], MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK_EQ(got, 7);
}

int main(void)
{
    MPI_Init(NULL, NULL);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    for (int i = 0; i < MANY; i++)
        request[i] = MPI_REQUEST_NULL;
    for (int round = 0; round < 2; round++) /* what the library keeps for good it has behind the first one */
        for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
            take(i);
    MPI_Finalize();
    return 0;
}
