/* ranks: 1 2 4 timeout: 30 also: INKLING_SPIN_TIME=0 */
/* Threads that sleep in MPI while others of their process work: each gets what it waits for, whichever thread takes
 * that in. Mostly another event wakes who was forgotten; where nothing else does is mpi/wakeups_threads. */
#include "p2p.h"

#include <pthread.h>
#include <time.h>

enum {
    ROUNDS = 30,
    QUICK = 3000
};

static int to, from;

static void pause_us(long us)
{
    struct timespec t = {us / 1000000, us % 1000000 * 1000};

    nanosleep(&t, NULL);
}

static pthread_t start(void *(*body)(void *), void *arg)
{
    pthread_t thread;

    CHECK_EQ(pthread_create(&thread, NULL, body, arg), 0);
    return thread;
}

/* One thread is blocked in a receive that is served last of all. */
static void *blocked(void *arg)
{
    int got = 0;

    (void)arg;
    CHECK_EQ(MPI_Recv(&got, 1, MPI_INT, from, 77, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK_EQ(got, 99);
    return NULL;
}

static void one_blocked_one_works(void)
{
    pthread_t thread = start(blocked, NULL);
    int word, got, last = 99;

    for (int i = 0; i < QUICK; i++) {
        word = i;
        CHECK_EQ(MPI_Sendrecv(&word, 1, MPI_INT, to, 1, &got, 1, MPI_INT, from, 1, MPI_COMM_WORLD,
                              MPI_STATUS_IGNORE),
                 MPI_SUCCESS);
        CHECK_EQ(got, i);
        if (i % 500 == 0)
            pause_us(20000);
    }
    CHECK_EQ(MPI_Send(&last, 1, MPI_INT, to, 77, MPI_COMM_WORLD), MPI_SUCCESS);
    CHECK_EQ(pthread_join(thread, NULL), 0);
}

/* A message to oneself wakes the thread that waits for it, although nobody else rings. */
static void *receive_from_self(void *arg)
{
    int bytes = *(int *)arg, count = 0;
    char *buffer = malloc((size_t)bytes);
    MPI_Status status;

    for (int i = 0; i < ROUNDS; i++) {
        if (i % 2)
            CHECK_EQ(MPI_Probe(MPI_ANY_SOURCE, i, MPI_COMM_SELF, &status), MPI_SUCCESS);
        CHECK_EQ(MPI_Recv(buffer, bytes, MPI_BYTE, 0, i, MPI_COMM_SELF, &status), MPI_SUCCESS);
        CHECK_EQ(MPI_Get_count(&status, MPI_BYTE, &count), MPI_SUCCESS);
        CHECK_EQ(count, bytes);
    }
    free(buffer);
    return NULL;
}

static void send_to_self(int bytes)
{
    pthread_t thread = start(receive_from_self, &bytes);
    char *buffer = calloc(1, (size_t)bytes);

    for (int i = 0; i < ROUNDS; i++) {
        pause_us(3000); /* the receiver sleeps */
        CHECK_EQ(MPI_Send(buffer, bytes, MPI_BYTE, 0, i, MPI_COMM_SELF), MPI_SUCCESS);
    }
    CHECK_EQ(pthread_join(thread, NULL), 0);
    free(buffer);
}

/* A sender that sleeps until its receive comes, from another thread of its own. */
static void *ssend_to_self(void *arg)
{
    (void)arg;
    for (int i = 0; i < ROUNDS; i++)
        CHECK_EQ(MPI_Ssend(&i, 1, MPI_INT, 0, i, MPI_COMM_SELF), MPI_SUCCESS);
    return NULL;
}

static void receive_late(void)
{
    pthread_t thread = start(ssend_to_self, NULL);
    int got = -1;

    for (int i = 0; i < ROUNDS; i++) {
        pause_us(3000);
        CHECK_EQ(MPI_Recv(&got, 1, MPI_INT, 0, i, MPI_COMM_SELF, MPI_STATUS_IGNORE), MPI_SUCCESS);
        CHECK_EQ(got, i);
    }
    CHECK_EQ(pthread_join(thread, NULL), 0);
}

/* Two threads that each wait for messages of another rank take in each other's. */
static void *ping(void *arg)
{
    int tag = *(int *)arg, word, got;

    for (int i = 0; i < QUICK; i++) {
        word = tag * QUICK + i;
        CHECK_EQ(MPI_Send(&word, 1, MPI_INT, to, tag, MPI_COMM_WORLD), MPI_SUCCESS);
        CHECK_EQ(MPI_Recv(&got, 1, MPI_INT, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPI_SUCCESS);
        CHECK_EQ(got, word);
        if (i % 100 == tag)
            pause_us(500);
    }
    return NULL;
}

static void take_in_each_others(void)
{
    int tags[3] = {11, 12, 13};
    pthread_t thread[3];

    for (int i = 0; i < 3; i++)
        thread[i] = start(ping, &tags[i]);
    for (int i = 0; i < 3; i++)
        CHECK_EQ(pthread_join(thread[i], NULL), 0);
}

/* Sends that find the ring full, from a thread that then leaves MPI: the one that sleeps in MPI must move
 * them. */
static void *wait_for_end(void *arg)
{
    (void)arg;
    CHECK_EQ(MPI_Recv(NULL, 0, MPI_INT, from, 78, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPI_SUCCESS);
    return NULL;
}

static void leave_a_queue_behind(void)
{
    static MPI_Request requests[QUICK];
    static int words[QUICK], got;
    pthread_t thread = start(wait_for_end, NULL);

    for (int i = 0; i < QUICK; i++) {
        words[i] = i;
        CHECK_EQ(MPI_Isend(&words[i], 1, MPI_INT, to, 2, MPI_COMM_WORLD, &requests[i]), MPI_SUCCESS);
    }
    pause_us(50000); /* outside of MPI */
    for (int i = 0; i < QUICK; i++) {
        CHECK_EQ(MPI_Recv(&got, 1, MPI_INT, from, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPI_SUCCESS);
        CHECK_EQ(got, i);
    }
    CHECK_EQ(MPI_Waitall(QUICK, requests, MPI_STATUSES_IGNORE), MPI_SUCCESS);
    CHECK_EQ(MPI_Send(NULL, 0, MPI_INT, to, 78, MPI_COMM_WORLD), MPI_SUCCESS);
    CHECK_EQ(pthread_join(thread, NULL), 0);
}

int main(int argc, char **argv)
{
    int provided;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    CHECK_EQ(provided, MPI_THREAD_MULTIPLE);
    set_up();
    to = (rank + 1) % size;
    from = (rank + size - 1) % size;
    one_blocked_one_works();
    send_to_self(8);
    send_to_self(100000);
    receive_late();
    take_in_each_others();
    leave_a_queue_behind();
    MPI_Finalize();
    return 0;
}
