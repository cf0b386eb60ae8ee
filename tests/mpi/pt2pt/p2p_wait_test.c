/* ranks: 1 2 4 also: INKLING_CMA=false,INKLING_STAGING_SIZE=64K */
/* The wait and test procedures (MPI-5.0 section 3.7): one, any, some, all; null requests; empty statuses. */
#include "p2p.h"

enum {
    COUNT = 300 /* more than any array on the stack holds */
};

static int sent[COUNT], got[COUNT];
static MPI_Request sends[COUNT], requests[COUNT];
static MPI_Status statuses[COUNT];

/* Every second slot is MPI_REQUEST_NULL; the tag is the index. Nothing is sent yet. */
static void post(void)
{
    for (int i = 0; i < COUNT; i++) {
        got[i] = -1;
        requests[i] = MPI_REQUEST_NULL;
        if (i % 2 == 0)
            CHECK_EQ(
                MPI_Irecv(&got[i], 1, MPI_INT, (rank + size - 1) % size, i, MPI_COMM_WORLD, &requests[i]), 0);
    }
    CHECK_EQ(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS);
}

static void start_send(int i)
{
    sent[i] = 1000 * rank + i;
    CHECK_EQ(MPI_Issend(&sent[i], 1, MPI_INT, (rank + 1) % size, i, MPI_COMM_WORLD, &sends[i]), MPI_SUCCESS);
}

static void start_sends(void)
{
    for (int i = 0; i < COUNT; i++) {
        sends[i] = MPI_REQUEST_NULL;
        if (i % 2 == 0)
            start_send(i);
    }
}

static void end_sends(void)
{
    CHECK_EQ(MPI_Waitall(COUNT, sends, MPI_STATUSES_IGNORE), MPI_SUCCESS);
    CHECK_EQ(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS);
}

static void check_received(int i, MPI_Status *status)
{
    int from = (rank + size - 1) % size;

    CHECK_EQ(i % 2, 0);
    CHECK_EQ(got[i], 1000 * from + i);
    CHECK_EQ(requests[i], MPI_REQUEST_NULL);
    CHECK_STATUS(status, from, i, 4);
}

static void null_requests(void)
{
    MPI_Request none[3] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    int flag = 0, index = 0, count = 0, indices[3];
    MPI_Status s[3];

    CHECK_EQ(MPI_Wait(&none[0], &s[0]), MPI_SUCCESS);
    CHECK_EMPTY(&s[0]);
    CHECK_EQ(MPI_Test(&none[0], &flag, &s[0]), MPI_SUCCESS);
    CHECK(flag);
    CHECK_EMPTY(&s[0]);
    CHECK_EQ(MPI_Waitany(3, none, &index, &s[0]), MPI_SUCCESS);
    CHECK_EQ(index, MPI_UNDEFINED);
    CHECK_EMPTY(&s[0]);
    flag = index = 0;
    CHECK_EQ(MPI_Testany(3, none, &index, &flag, &s[0]), MPI_SUCCESS);
    CHECK(flag);
    CHECK_EQ(index, MPI_UNDEFINED);
    CHECK_EMPTY(&s[0]);
    CHECK_EQ(MPI_Waitsome(3, none, &count, indices, s), MPI_SUCCESS);
    CHECK_EQ(count, MPI_UNDEFINED);
    count = 0;
    CHECK_EQ(MPI_Testsome(3, none, &count, indices, s), MPI_SUCCESS);
    CHECK_EQ(count, MPI_UNDEFINED);
    CHECK_EQ(MPI_Waitall(3, none, s), MPI_SUCCESS);
    for (int i = 0; i < 3; i++)
        CHECK_EMPTY(&s[i]);
    flag = 0;
    CHECK_EQ(MPI_Testall(3, none, &flag, s), MPI_SUCCESS);
    CHECK(flag);
    CHECK_EMPTY(&s[2]);
    flag = 0;
    CHECK_EQ(MPI_Request_get_status(MPI_REQUEST_NULL, &flag, &s[0]), MPI_SUCCESS);
    CHECK(flag);
    CHECK_EMPTY(&s[0]);
}

/* Arrays of no requests at all. */
static void no_requests(void)
{
    int flag = 0, index = 0, count = 0;
    MPI_Status s;

    CHECK_EQ(MPI_Waitall(0, NULL, MPI_STATUSES_IGNORE), MPI_SUCCESS);
    CHECK_EQ(MPI_Testall(0, NULL, &flag, MPI_STATUSES_IGNORE), MPI_SUCCESS);
    CHECK(flag);
    CHECK_EQ(MPI_Waitany(0, NULL, &index, &s), MPI_SUCCESS);
    CHECK_EQ(index, MPI_UNDEFINED);
    CHECK_EQ(MPI_Waitsome(0, NULL, &count, NULL, MPI_STATUSES_IGNORE), MPI_SUCCESS);
    CHECK_EQ(count, MPI_UNDEFINED);
}

static void wait_one(void)
{
    post();
    start_sends();
    for (int i = COUNT - 1; i >= 0; i--) {
        CHECK_EQ(MPI_Wait(&requests[i], &statuses[i]), MPI_SUCCESS);
        if (i % 2)
            CHECK_EMPTY(&statuses[i]);
        else
            check_received(i, &statuses[i]);
    }
    end_sends();
}

/* Nothing can be complete before the barrier behind which the sends start. */
static void test_one(void)
{
    int flag = 1;

    post();
    CHECK_EQ(MPI_Test(&requests[0], &flag, &statuses[0]), MPI_SUCCESS);
    CHECK_EQ(flag, 0);
    CHECK(requests[0] != MPI_REQUEST_NULL);
    CHECK_EQ(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS);
    start_sends();
    for (int i = 0; i < COUNT; i++) {
        flag = 0;
        while (!flag)
            CHECK_EQ(MPI_Test(&requests[i], &flag, &statuses[i]), MPI_SUCCESS);
        if (i % 2 == 0)
            check_received(i, &statuses[i]);
    }
    end_sends();
}

static void any(int testing)
{
    int seen[COUNT] = {0}, index, flag;
    MPI_Status status;

    post();
    if (testing) {
        flag = index = 1;
        CHECK_EQ(MPI_Testany(COUNT, requests, &index, &flag, &status), MPI_SUCCESS);
        CHECK_EQ(flag, 0);
        CHECK_EQ(index, MPI_UNDEFINED);
    }
    CHECK_EQ(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS);
    start_sends();
    for (int n = 0; n < COUNT / 2; n++) {
        flag = !testing;
        if (!testing)
            CHECK_EQ(MPI_Waitany(COUNT, requests, &index, &status), MPI_SUCCESS);
        while (!flag)
            CHECK_EQ(MPI_Testany(COUNT, requests, &index, &flag, &status), MPI_SUCCESS);
        CHECK(index >= 0 && index < COUNT);
        CHECK_EQ(seen[index]++, 0);
        check_received(index, &status);
    }
    CHECK_EQ(MPI_Waitany(COUNT, requests, &index, &status), MPI_SUCCESS);
    CHECK_EQ(index, MPI_UNDEFINED);
    end_sends();
}

static void some(int testing)
{
    int seen[COUNT] = {0}, indices[COUNT], done = 0, count;

    post();
    if (testing) {
        CHECK_EQ(MPI_Testsome(COUNT, requests, &count, indices, statuses), MPI_SUCCESS);
        CHECK_EQ(count, 0);
    }
    CHECK_EQ(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS);
    start_sends();
    while (done < COUNT / 2) {
        count = -1;
        if (testing)
            CHECK_EQ(MPI_Testsome(COUNT, requests, &count, indices, statuses), MPI_SUCCESS);
        else
            CHECK_EQ(MPI_Waitsome(COUNT, requests, &count, indices, statuses), MPI_SUCCESS);
        CHECK(count >= !testing && count <= COUNT / 2 - done);
        for (int k = 0; k < count; k++) {
            CHECK_EQ(seen[indices[k]]++, 0);
            check_received(indices[k], &statuses[k]);
        }
        done += count;
    }
    CHECK_EQ(MPI_Testsome(COUNT, requests, &count, indices, statuses), MPI_SUCCESS);
    CHECK_EQ(count, MPI_UNDEFINED);
    end_sends();
}

/* One message is held back: no flag, and no request may be touched. */
static void all(int testing)
{
    int flag = 1;

    post();
    for (int i = 2; i < COUNT; i += 2)
        start_send(i);
    sends[0] = MPI_REQUEST_NULL;
    CHECK_EQ(MPI_Testall(COUNT, requests, &flag, statuses), MPI_SUCCESS);
    CHECK_EQ(flag, 0);
    for (int i = 0; i < COUNT; i += 2)
        CHECK(requests[i] != MPI_REQUEST_NULL);
    CHECK_EQ(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS);
    start_send(0);
    if (!testing)
        CHECK_EQ(MPI_Waitall(COUNT, requests, statuses), MPI_SUCCESS);
    while (testing && !flag)
        CHECK_EQ(MPI_Testall(COUNT, requests, &flag, statuses), MPI_SUCCESS);
    for (int i = 0; i < COUNT; i++) {
        if (i % 2)
            CHECK_EMPTY(&statuses[i]);
        else
            check_received(i, &statuses[i]);
    }
    end_sends();
}

/* Looks without completing, as often as one likes. */
static void get_status(void)
{
    int flag = 1;

    post();
    CHECK_EQ(MPI_Request_get_status(requests[0], &flag, &statuses[0]), MPI_SUCCESS);
    CHECK_EQ(flag, 0);
    CHECK_EQ(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS);
    start_sends();
    for (int i = 0; i < COUNT; i += 2)
        for (int times = 0; times < 2; times++) {
            for (flag = 0; !flag;)
                CHECK_EQ(MPI_Request_get_status(requests[i], &flag, &statuses[i]), MPI_SUCCESS);
            CHECK_STATUS(&statuses[i], (rank + size - 1) % size, i, 4);
            CHECK(requests[i] != MPI_REQUEST_NULL);
        }
    CHECK_EQ(MPI_Waitall(COUNT, requests, statuses), MPI_SUCCESS);
    check_received(COUNT - 2, &statuses[COUNT - 2]);
    end_sends();
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    set_up();
    null_requests();
    no_requests();
    wait_one();
    test_one();
    for (int testing = 0; testing < 2; testing++) {
        any(testing);
        some(testing);
        all(testing);
    }
    get_status();
    MPI_Finalize();
    return 0;
}
