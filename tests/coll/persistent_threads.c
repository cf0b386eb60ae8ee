/* Threads of each rank start and complete persistent collectives of one communicator, each in an order of its
 * own, while another thread creates and frees such collectives. */
#include "check.h"

#include <pthread.h>

enum {
    THREADS = 3,
    EACH = 6,
    ROUNDS = 200,
    COMING = 300
};

static int rank, size;
static MPI_Comm comm;

struct worker {
    pthread_t thread;
    int number;
    unsigned random;
    int in[EACH][40], out[EACH][40];
    MPI_Request request[EACH];
};

/* Whether it is a sum over all ranks; otherwise rank 0 broadcasts it. */
static int is_sum(int which)
{
    return which % 3 != 1;
}

static int items_of(int which)
{
    return which % 2 ? 40 : 1;
}

static void make(struct worker *w, int which)
{
    int *in = w->in[which], *out = w->out[which], error;

    if (is_sum(which))
        error = MPI_Allreduce_init(in, out, items_of(which), MPI_INT, MPI_SUM, comm, MPI_INFO_NULL,
                                   &w->request[which]);
    else
        error = MPI_Bcast_init(out, items_of(which), MPI_INT, 0, comm, MPI_INFO_NULL, &w->request[which]);
    CHECK_EQ(error, MPI_SUCCESS);
}

static void fill(struct worker *w, int which, int round)
{
    for (int i = 0; i < items_of(which); i++) {
        w->in[which][i] = rank + round + w->number + i;
        w->out[which][i] = rank || is_sum(which) ? -1 : round - i;
    }
}

static void check(const struct worker *w, int which, int round)
{
    for (int i = 0; i < items_of(which); i++)
        CHECK_EQ(w->out[which][i],
                 is_sum(which) ? size * (round + w->number + i) + size * (size - 1) / 2 : round - i);
}

static void *work(void *argument)
{
    struct worker *w = argument;

    for (int round = 0; round < ROUNDS; round++) {
        int first, done = 0;

        w->random = w->random * 1664525u + 1013904223u;
        first = (int)(w->random >> 8) % EACH;
        for (int i = 0; i < EACH; i++) {
            fill(w, (first + i) % EACH, round);
            CHECK_EQ(MPI_Start(&w->request[(first + i) % EACH]), MPI_SUCCESS);
        }
        while (round % 2 && !done)
            CHECK_EQ(MPI_Testall(EACH, w->request, &done, MPI_STATUSES_IGNORE), MPI_SUCCESS);
        CHECK_EQ(MPI_Waitall(EACH, w->request, MPI_STATUSES_IGNORE), MPI_SUCCESS);
        for (int i = 0; i < EACH; i++)
            check(w, i, round);
    }
    for (int i = 0; i < EACH; i++)
        CHECK_EQ(MPI_Request_free(&w->request[i]), MPI_SUCCESS);
    return NULL;
}

/* More requests than fit into shared memory at a time, one after the other. */
static void come_and_go(void)
{
    struct worker w = {.number = THREADS};

    for (int i = 0; i < COMING; i++) {
        int which = i % EACH;

        make(&w, which);
        fill(&w, which, i);
        CHECK_EQ(MPI_Start(&w.request[which]), MPI_SUCCESS);
        CHECK_EQ(MPI_Wait(&w.request[which], MPI_STATUS_IGNORE), MPI_SUCCESS);
        check(&w, which, i);
        CHECK_EQ(MPI_Request_free(&w.request[which]), MPI_SUCCESS);
    }
}

int main(int argc, char **argv)
{
    static struct worker worker[THREADS];
    int provided;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    CHECK_EQ(provided, MPI_THREAD_MULTIPLE);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    CHECK_EQ(MPI_Comm_dup(MPI_COMM_WORLD, &comm), MPI_SUCCESS);
    for (int t = 0; t < THREADS; t++) {
        worker[t].number = t;
        worker[t].random = (unsigned)(rank * THREADS + t);
        for (int i = 0; i < EACH; i++)
            make(&worker[t], i);
    }
    for (int t = 0; t < THREADS; t++)
        CHECK_EQ(pthread_create(&worker[t].thread, NULL, work, &worker[t]), 0);
    come_and_go();
    for (int t = 0; t < THREADS; t++)
        CHECK_EQ(pthread_join(worker[t].thread, NULL), 0);
    MPI_Comm_free(&comm);
    MPI_Finalize();
    return 0;
}
