/* ranks: 1 2 */
/* MPI_Request_get_status and its array forms, MPI_Cancel, generalized requests. */
#include "check.h"

static int rank;

static void check_is_empty(const MPI_Status *status)
{
    int count = -1;

    MPI_Get_count(status, MPI_BYTE, &count);
    CHECK(status->MPI_SOURCE == MPI_ANY_SOURCE && status->MPI_TAG == MPI_ANY_TAG && count == 0);
    CHECK_EQ(status->MPI_ERROR, MPI_SUCCESS);
}

static void nothing_active(void)
{
    MPI_Request r[2] = {MPI_REQUEST_NULL};
    MPI_Status status[2];
    int flag = 0, index = 0, count = 0, x = 0, indices[2];

    MPI_Recv_init(&x, 1, MPI_INT, rank, 0, MPI_COMM_WORLD, &r[1]);
    status[0].MPI_ERROR = status[1].MPI_ERROR = MPI_ERR_OTHER;
    CHECK_EQ(MPI_Request_get_status_any(2, r, &index, &flag, status), MPI_SUCCESS);
    CHECK(flag == 1 && index == MPI_UNDEFINED);
    check_is_empty(status);
    CHECK_EQ(MPI_Request_get_status_all(2, r, &flag, status), MPI_SUCCESS);
    CHECK_EQ(flag, 1);
    check_is_empty(&status[0]);
    check_is_empty(&status[1]);
    CHECK_EQ(MPI_Request_get_status_some(2, r, &count, indices, status), MPI_SUCCESS);
    CHECK_EQ(count, MPI_UNDEFINED);
    CHECK_EQ(MPI_Request_get_status_any(0, NULL, &index, &flag, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK(flag == 1 && index == MPI_UNDEFINED);
    MPI_Request_free(&r[1]);
}

/* Every call that can return an empty status returns it whole; of others the error is not touched. */
static void empty_everywhere(void)
{
    MPI_Request null = MPI_REQUEST_NULL, inactive, r[2];
    MPI_Status status[2];
    int flag = 0, index = 0, x = 0;

    MPI_Recv_init(&x, 1, MPI_INT, rank, 0, MPI_COMM_WORLD, &inactive);
    for (int i = 0; i < 2; i++) {
        MPI_Request *one = i ? &inactive : &null;

        status[0].MPI_ERROR = MPI_ERR_OTHER;
        CHECK_EQ(MPI_Wait(one, status), MPI_SUCCESS);
        check_is_empty(status);
        status[0].MPI_ERROR = MPI_ERR_OTHER;
        CHECK_EQ(MPI_Test(one, &flag, status), MPI_SUCCESS);
        check_is_empty(status);
        status[0].MPI_ERROR = MPI_ERR_OTHER;
        CHECK_EQ(MPI_Waitany(1, one, &index, status), MPI_SUCCESS);
        check_is_empty(status);
        status[0].MPI_ERROR = MPI_ERR_OTHER;
        CHECK_EQ(MPI_Testany(1, one, &index, &flag, status), MPI_SUCCESS);
        check_is_empty(status);
        status[0].MPI_ERROR = MPI_ERR_OTHER;
        CHECK_EQ(MPI_Request_get_status(*one, &flag, status), MPI_SUCCESS);
        check_is_empty(status);
    }
    r[0] = inactive;
    status[0].MPI_ERROR = status[1].MPI_ERROR = MPI_ERR_OTHER;
    CHECK_EQ(MPI_Irecv(&x, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &r[1]), MPI_SUCCESS);
    CHECK_EQ(MPI_Waitall(2, r, status), MPI_SUCCESS);
    check_is_empty(status);
    CHECK_EQ(status[1].MPI_ERROR, MPI_ERR_OTHER);
    MPI_Request_free(&inactive);
}

static void some_done(void)
{
    MPI_Request r[3] = {MPI_REQUEST_NULL};
    MPI_Status status[3];
    int flag = 1, index = 0, count = -1, x[2] = {0, 0}, indices[3], value = 5;

    CHECK_EQ(MPI_Irecv(&x[0], 1, MPI_INT, rank, 1, MPI_COMM_WORLD, &r[1]), MPI_SUCCESS);
    CHECK_EQ(MPI_Irecv(&x[1], 1, MPI_INT, rank, 2, MPI_COMM_WORLD, &r[2]), MPI_SUCCESS);
    CHECK_EQ(MPI_Request_get_status_any(3, r, &index, &flag, status), MPI_SUCCESS);
    CHECK(flag == 0 && index == MPI_UNDEFINED);
    CHECK_EQ(MPI_Request_get_status_some(3, r, &count, indices, status), MPI_SUCCESS);
    CHECK_EQ(count, 0);
    CHECK_EQ(MPI_Send(&value, 1, MPI_INT, rank, 2, MPI_COMM_WORLD), MPI_SUCCESS);
    for (int again = 0; again < 3; again++) {
        do
            CHECK_EQ(MPI_Request_get_status_any(3, r, &index, &flag, status), MPI_SUCCESS);
        while (!flag);
        CHECK(index == 2 && status[0].MPI_SOURCE == rank && status[0].MPI_TAG == 2);
        CHECK_EQ(MPI_Request_get_status_some(3, r, &count, indices, status), MPI_SUCCESS);
        CHECK(count == 1 && indices[0] == 2 && status[0].MPI_TAG == 2);
        CHECK_EQ(MPI_Request_get_status_all(3, r, &flag, MPI_STATUSES_IGNORE), MPI_SUCCESS);
        CHECK_EQ(flag, 0);
    }
    CHECK_EQ(MPI_Send(&value, 1, MPI_INT, rank, 1, MPI_COMM_WORLD), MPI_SUCCESS);
    do
        CHECK_EQ(MPI_Request_get_status_all(3, r, &flag, status), MPI_SUCCESS);
    while (!flag);
    check_is_empty(&status[0]);
    CHECK(status[1].MPI_TAG == 1 && status[2].MPI_TAG == 2);
    CHECK_EQ(MPI_Waitall(3, r, status), MPI_SUCCESS);
    CHECK(x[0] == 5 && x[1] == 5);
}

static void failed(void)
{
    MPI_Request r[2];
    MPI_Status status[2];
    int x[2] = {1, 2}, y[2] = {0, 0}, flag = 0, count = 0, indices[2];

    CHECK_EQ(MPI_Irecv(&y[0], 1, MPI_INT, rank, 3, MPI_COMM_WORLD, &r[0]), MPI_SUCCESS);
    CHECK_EQ(MPI_Irecv(&y[1], 1, MPI_INT, rank, 4, MPI_COMM_WORLD, &r[1]), MPI_SUCCESS);
    CHECK_EQ(MPI_Send(x, 2, MPI_INT, rank, 4, MPI_COMM_WORLD), MPI_SUCCESS);
    CHECK_EQ(MPI_Send(x, 1, MPI_INT, rank, 3, MPI_COMM_WORLD), MPI_SUCCESS);
    while (!flag && MPI_Request_get_status_all(2, r, &flag, status) != MPI_ERR_IN_STATUS)
        ;
    CHECK(status[0].MPI_ERROR == MPI_SUCCESS && status[1].MPI_ERROR == MPI_ERR_TRUNCATE);
    CHECK_EQ(MPI_Request_get_status_some(2, r, &count, indices, status), MPI_ERR_IN_STATUS);
    CHECK(count == 2 && status[1].MPI_ERROR == MPI_ERR_TRUNCATE);
    CHECK_EQ(MPI_Waitall(2, r, status), MPI_ERR_IN_STATUS);
}

/* One of several is no request. */
static void garbage(void)
{
    int x = 0, flag, index, indices[2];
    MPI_Request r[2] = {MPI_REQUEST_NULL, (MPI_Request)&x};

    CHECK_CODE(MPI_Request_get_status_all(2, r, &flag, MPI_STATUSES_IGNORE), MPI_ERR_REQUEST,
               "is not a request");
    CHECK_CODE(MPI_Request_get_status_any(2, r, &index, &flag, MPI_STATUS_IGNORE), MPI_ERR_REQUEST,
               "is not a request");
    CHECK_CODE(MPI_Request_get_status_some(2, r, &index, indices, MPI_STATUSES_IGNORE), MPI_ERR_REQUEST,
               "is not a request");
}

static void cancel(void)
{
    MPI_Request r, null = MPI_REQUEST_NULL;
    MPI_Status status;
    int x = 0, flag = 0, value = 9;

    CHECK_EQ(MPI_Cancel(&null), MPI_ERR_REQUEST);
    CHECK_EQ(MPI_Irecv(&x, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &r), MPI_SUCCESS);
    CHECK_EQ(MPI_Cancel(&r), MPI_SUCCESS);
    CHECK(r != MPI_REQUEST_NULL);
    CHECK_EQ(MPI_Wait(&r, &status), MPI_SUCCESS);
    MPI_Test_cancelled(&status, &flag);
    CHECK_EQ(flag, 1);
    CHECK_EQ(MPI_Irecv(&x, 1, MPI_INT, rank, 1, MPI_COMM_WORLD, &r), MPI_SUCCESS);
    CHECK_EQ(MPI_Send(&value, 1, MPI_INT, rank, 1, MPI_COMM_WORLD), MPI_SUCCESS);
    do
        MPI_Request_get_status(r, &flag, MPI_STATUS_IGNORE);
    while (!flag);
    CHECK_EQ(MPI_Cancel(&r), MPI_SUCCESS); /* too late */
    CHECK_EQ(MPI_Wait(&r, &status), MPI_SUCCESS);
    MPI_Test_cancelled(&status, &flag);
    CHECK(flag == 0 && x == 9);
    CHECK_EQ(MPI_Isend(&value, 1, MPI_INT, rank, 1, MPI_COMM_WORLD, &r), MPI_SUCCESS);
    CHECK_EQ(MPI_Cancel(&r), MPI_SUCCESS);
    CHECK_EQ(MPI_Wait(&r, &status), MPI_SUCCESS);
    MPI_Test_cancelled(&status, &flag);
    CHECK_EQ(flag, 0);
    CHECK_EQ(MPI_Recv(&x, 1, MPI_INT, rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPI_SUCCESS);
}

/* Generalized requests. */

struct calls {
    int query, free, cancel, complete, query_error, free_error;
};

static int query_fn(void *extra, MPI_Status *status)
{
    struct calls *calls = extra;

    calls->query++;
    MPI_Status_set_elements(status, MPI_INT, 42);
    MPI_Status_set_cancelled(status, calls->cancel);
    status->MPI_SOURCE = 3;
    status->MPI_TAG = 4;
    return calls->query_error;
}

static int free_fn(void *extra)
{
    ((struct calls *)extra)->free++;
    return ((struct calls *)extra)->free_error;
}

static int cancel_fn(void *extra, int complete)
{
    ((struct calls *)extra)->cancel++;
    ((struct calls *)extra)->complete = complete;
    return MPI_SUCCESS;
}

static void start(struct calls *calls, MPI_Request *r)
{
    memset(calls, 0, sizeof *calls);
    CHECK_EQ(MPI_Grequest_start(query_fn, free_fn, cancel_fn, calls, r), MPI_SUCCESS);
}

static void generalized(void)
{
    struct calls calls;
    MPI_Request r, copy;
    MPI_Status status;
    int flag = 1, count = 0;

    start(&calls, &r);
    CHECK_EQ(MPI_Test(&r, &flag, &status), MPI_SUCCESS);
    CHECK(flag == 0 && calls.query == 0);
    CHECK_EQ(MPI_Cancel(&r), MPI_SUCCESS);
    CHECK(calls.cancel == 1 && calls.complete == 0);
    CHECK_EQ(MPI_Grequest_complete(r), MPI_SUCCESS);
    CHECK_EQ(MPI_Grequest_complete(r), MPI_ERR_REQUEST);
    CHECK_EQ(MPI_Request_get_status(r, &flag, &status), MPI_SUCCESS);
    CHECK(flag == 1 && calls.query == 1 && calls.free == 0);
    CHECK_EQ(MPI_Wait(&r, &status), MPI_SUCCESS);
    CHECK(calls.query == 2 && calls.free == 1 && r == MPI_REQUEST_NULL);
    MPI_Get_count(&status, MPI_INT, &count);
    MPI_Test_cancelled(&status, &flag);
    CHECK(count == 42 && flag && status.MPI_SOURCE == 3 && status.MPI_TAG == 4);
    start(&calls, &r); /* freed first: the copy of the handle still completes it */
    copy = r;
    CHECK_EQ(MPI_Request_free(&r), MPI_SUCCESS);
    CHECK_EQ(calls.free, 0);
    CHECK_EQ(MPI_Grequest_complete(copy), MPI_SUCCESS);
    CHECK(calls.free == 1 && calls.query == 0);
    start(&calls, &r);
    CHECK_EQ(MPI_Grequest_complete(r), MPI_SUCCESS);
    CHECK_EQ(MPI_Request_free(&r), MPI_SUCCESS);
    CHECK_EQ(calls.free, 1);
}

static void generalized_errors(void)
{
    struct calls calls[2];
    MPI_Request r[2];
    MPI_Status status[2];

    start(&calls[0], &r[0]);
    calls[0].free_error = MPI_ERR_IO;
    MPI_Grequest_complete(r[0]);
    CHECK_EQ(MPI_Wait(&r[0], status), MPI_ERR_IO);
    CHECK_EQ(calls[0].free, 1);
    start(&calls[0], &r[0]);
    start(&calls[1], &r[1]);
    calls[1].free_error = MPI_ERR_IO;
    MPI_Grequest_complete(r[0]);
    MPI_Grequest_complete(r[1]);
    CHECK_EQ(MPI_Waitall(2, r, status), MPI_ERR_IN_STATUS);
    CHECK(status[0].MPI_ERROR == MPI_SUCCESS && status[1].MPI_ERROR == MPI_ERR_IO);
    CHECK(calls[0].free == 1 && calls[1].free == 1 && calls[0].query == 1);
    start(&calls[0], &r[0]); /* free_fn succeeds, and takes nothing back */
    start(&calls[1], &r[1]);
    calls[0].query_error = calls[1].query_error = MPI_ERR_IO;
    calls[1].free_error = MPI_ERR_ACCESS;
    MPI_Grequest_complete(r[0]);
    MPI_Grequest_complete(r[1]);
    CHECK_CODE(MPI_Wait(&r[0], status), MPI_ERR_IO, "query function");
    CHECK_CODE(MPI_Wait(&r[1], status), MPI_ERR_ACCESS, "free function");
    CHECK_EQ(MPI_Irecv(NULL, 0, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &r[0]), MPI_SUCCESS);
    CHECK_EQ(MPI_Grequest_complete(r[0]), MPI_ERR_REQUEST);
    CHECK_EQ(MPI_Wait(&r[0], MPI_STATUS_IGNORE), MPI_SUCCESS);
}

/* Whichever of the two calls comes last returns what free_fn returned. */
static void generalized_errors_of_free(void)
{
    struct calls calls;
    MPI_Request r, copy;

    start(&calls, &r);
    calls.free_error = MPI_ERR_IO;
    CHECK_EQ(MPI_Grequest_complete(r), MPI_SUCCESS);
    CHECK_CODE(MPI_Request_free(&r), MPI_ERR_IO, "free function");
    CHECK(r == MPI_REQUEST_NULL && calls.free == 1);
    start(&calls, &r);
    calls.free_error = MPI_ERR_IO;
    copy = r;
    CHECK_EQ(MPI_Request_free(&r), MPI_SUCCESS);
    CHECK_CODE(MPI_Grequest_complete(copy), MPI_ERR_IO, "free function");
    CHECK_EQ(calls.free, 1);
    CHECK_EQ(MPI_Grequest_complete(copy), MPI_ERR_REQUEST);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    nothing_active();
    empty_everywhere();
    some_done();
    failed();
    garbage();
    cancel();
    generalized();
    generalized_errors();
    generalized_errors_of_free();
    MPI_Finalize();
    return 0;
}
