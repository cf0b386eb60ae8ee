/* ranks: 1 2 timeout: 60 also: INKLING_SPIN_TIME=0 */
/* MPI_THREAD_MULTIPLE: one thread at a time does all the work, then another one, then all at once; so that
 * locks are biased towards each in turn, and at last to none (base/lock.h). */
#include "p2p.h"

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

enum {
    TURNS = 12, /* more than locks change their bias */
    ROUNDS = 200,
    THREADS = 8,
    PAUSE_NS = 5000000
};

static int to, from;

/* Messages that wait, messages that are waited for, and communicators that come and go. */
static void work(int tag)
{
    MPI_Request requests[2];
    int got, word;

    for (int i = 0; i < ROUNDS; i++) {
        word = tag * ROUNDS + i;
        got = -1;
        CHECK_EQ(MPI_Irecv(&got, 1, MPI_INT, from, tag, MPI_COMM_WORLD, &requests[0]), MPI_SUCCESS);
        CHECK_EQ(MPI_Isend(&word, 1, MPI_INT, to, tag, MPI_COMM_WORLD, &requests[1]), MPI_SUCCESS);
        CHECK_EQ(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE), MPI_SUCCESS);
        CHECK_EQ(got, word);
        got = -1;
        CHECK_EQ(MPI_Sendrecv(&word, 1, MPI_INT, 0, tag, &got, 1, MPI_INT, 0, tag, MPI_COMM_SELF,
                              MPI_STATUS_IGNORE),
                 MPI_SUCCESS);
        CHECK_EQ(got, word);
    }
}

static void *turn(void *arg)
{
    MPI_Comm comm;

    work((int)(intptr_t)arg);
    CHECK_EQ(MPI_Comm_dup(MPI_COMM_SELF, &comm), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_free(&comm), MPI_SUCCESS);
    return NULL;
}

static void *work_beside(void *arg)
{
    work((int)(intptr_t)arg);
    return NULL;
}

static pthread_t start(void *(*body)(void *), intptr_t number)
{
    pthread_t thread;

    CHECK_EQ(pthread_create(&thread, NULL, body, (void *)number), 0);
    return thread;
}

/* Sleeps for a message that another thread sends, which has all the locks then. */
static void *sleeper(void *arg)
{
    int got = -1;

    CHECK_EQ(MPI_Recv(&got, 1, MPI_INT, 0, 50, MPI_COMM_SELF, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK_EQ(got, (int)(intptr_t)arg);
    return NULL;
}

static void wake_sleeper(int number)
{
    struct timespec pause = {0, PAUSE_NS};
    pthread_t thread = start(sleeper, number);

    nanosleep(&pause, NULL);
    CHECK_EQ(MPI_Send(&number, 1, MPI_INT, 0, 50, MPI_COMM_SELF), MPI_SUCCESS);
    CHECK_EQ(pthread_join(thread, NULL), 0);
}

int main(int argc, char **argv)
{
    pthread_t thread[THREADS];
    int provided;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    CHECK_EQ(provided, MPI_THREAD_MULTIPLE);
    set_up();
    to = (rank + 1) % size;
    from = (rank + size - 1) % size;
    wake_sleeper(0);
    for (int i = 0; i < TURNS; i++) {
        if (i % 2)
            CHECK_EQ(pthread_join(start(turn, i), NULL), 0);
        else
            turn((void *)(intptr_t)i);
        if (i % 4 == 0)
            wake_sleeper(i);
    }
    for (int i = 0; i < THREADS; i++)
        thread[i] = start(work_beside, i);
    for (int i = 0; i < THREADS; i++)
        CHECK_EQ(pthread_join(thread[i], NULL), 0);
    MPI_Finalize();
    return 0;
}
