/* ranks: 1 2 4 timeout: 60 also: INKLING_CMA=false,INKLING_STAGING_SIZE=64K also: INKLING_RING_SIZE=4096 */
/* MPI_THREAD_MULTIPLE: threads that send and receive at the same time, on tags of their own, on communicators
 * of their own, and competing for the same messages. */
#include "p2p.h"

#include <pthread.h>
#include <stdatomic.h>

enum {
    THREADS = 4,
    ROUNDS = 300,
    LARGE = 50000
};

static int to, from;
static MPI_Comm own[THREADS];

static void run(void *(*body)(void *))
{
    pthread_t thread[THREADS];

    for (intptr_t i = 0; i < THREADS; i++)
        CHECK_EQ(pthread_create(&thread[i], NULL, body, (void *)i), 0);
    for (int i = 0; i < THREADS; i++)
        CHECK_EQ(pthread_join(thread[i], NULL), 0);
    CHECK_EQ(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS);
}

static int length_of(int round)
{
    static const int lengths[] = {0, 8, 41, 500, 5000, 20, LARGE};

    return lengths[round % 7];
}

/* One message from thread t to thread t of the next rank, in one of several ways. */
static void exchange(MPI_Comm comm, int tag, int round, unsigned char *out, unsigned char *in)
{
    int bytes = length_of(round);
    unsigned mine = (unsigned)(rank * 100 + tag * 1000 + round),
             theirs = (unsigned)(from * 100 + tag * 1000 + round);
    MPI_Request request;
    MPI_Status status;

    fill(out, (size_t)bytes, mine);
    if (round % 3 == 0) {
        CHECK_EQ(MPI_Sendrecv(out, bytes, MPI_BYTE, to, tag, in, LARGE, MPI_BYTE, from, tag, comm, &status),
                 0);
    } else if (round % 3 == 1) {
        CHECK_EQ(MPI_Isend(out, bytes, MPI_BYTE, to, tag, comm, &request), MPI_SUCCESS);
        CHECK_EQ(MPI_Probe(from, tag, comm, &status), MPI_SUCCESS);
        CHECK_STATUS(&status, from, tag, bytes);
        CHECK_EQ(MPI_Recv(in, bytes, MPI_BYTE, MPI_ANY_SOURCE, tag, comm, &status), MPI_SUCCESS);
        CHECK_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
    } else {
        int flag = 0;

        CHECK_EQ(MPI_Irecv(in, LARGE, MPI_BYTE, from, tag, comm, &request), MPI_SUCCESS);
        CHECK_EQ(MPI_Ssend(out, bytes, MPI_BYTE, to, tag, comm), MPI_SUCCESS);
        while (!flag)
            CHECK_EQ(MPI_Test(&request, &flag, &status), MPI_SUCCESS);
    }
    CHECK_STATUS(&status, from, tag, bytes);
    CHECK_EQ(find_wrong(in, (size_t)bytes, theirs), -1);
}

static void *own_tags(void *arg)
{
    int me = (int)(intptr_t)arg;
    unsigned char *out = malloc(LARGE), *in = malloc(LARGE);

    for (int i = 0; i < ROUNDS; i++)
        exchange(MPI_COMM_WORLD, me, i, out, in);
    free(out);
    free(in);
    return NULL;
}

static void *own_communicators(void *arg)
{
    int me = (int)(intptr_t)arg;
    unsigned char *out = malloc(LARGE), *in = malloc(LARGE);

    for (int i = 0; i < ROUNDS; i++)
        exchange(own[me], 5, i, out, in);
    free(out);
    free(in);
    return NULL;
}

/* Half of the threads send numbers; the others take whatever comes. Each number is taken once. */
static atomic_int taken[THREADS / 2 * ROUNDS];

static void *compete(void *arg)
{
    int me = (int)(intptr_t)arg, got;
    MPI_Status status;

    for (int i = 0; i < ROUNDS; i++) {
        int number = me * ROUNDS + i;

        if (me < THREADS / 2) {
            CHECK_EQ(MPI_Send(&number, 1, MPI_INT, to, number % 7, MPI_COMM_WORLD), MPI_SUCCESS);
            continue;
        }
        CHECK_EQ(
            MPI_Recv(&got, 1, MPI_INT, me % 2 ? MPI_ANY_SOURCE : from, MPI_ANY_TAG, MPI_COMM_WORLD, &status),
            0);
        CHECK_STATUS(&status, from, got % 7, 4);
        CHECK_EQ(atomic_fetch_add(&taken[got], 1), 0);
    }
    return NULL;
}

/* Starts in one thread, waits in another. */
static MPI_Request handed[ROUNDS];
static int handed_words[ROUNDS], handed_got[ROUNDS];
static atomic_int handed_count;

static void *hand_over(void *arg)
{
    int me = (int)(intptr_t)arg;

    for (int i = 0; me < 2 && i < ROUNDS; i++) {
        if (me == 0) {
            CHECK_EQ(MPI_Irecv(&handed_got[i], 1, MPI_INT, from, i, own[0], &handed[i]), MPI_SUCCESS);
            atomic_store(&handed_count, i + 1);
            handed_words[i] = rank + i;
            CHECK_EQ(MPI_Send(&handed_words[i], 1, MPI_INT, to, i, own[0]), MPI_SUCCESS);
        } else {
            while (atomic_load(&handed_count) <= i)
                ;
            CHECK_EQ(MPI_Wait(&handed[i], MPI_STATUS_IGNORE), MPI_SUCCESS);
            CHECK_EQ(handed_got[i], from + i);
        }
    }
    return NULL;
}

/* Communicators come and go in one thread while others communicate. */
static void *come_and_go(void *arg)
{
    int me = (int)(intptr_t)arg;
    unsigned char *out = malloc(LARGE), *in = malloc(LARGE);

    for (int i = 0; i < ROUNDS / 4; i++) {
        MPI_Comm comm = own[me];

        if (me == 0)
            CHECK_EQ(MPI_Comm_dup(own[0], &comm), MPI_SUCCESS);
        exchange(comm, 1, i, out, in);
        if (me == 0)
            CHECK_EQ(MPI_Comm_free(&comm), MPI_SUCCESS);
    }
    free(out);
    free(in);
    return NULL;
}

int main(int argc, char **argv)
{
    int provided;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    CHECK_EQ(provided, MPI_THREAD_MULTIPLE);
    set_up();
    to = (rank + 1) % size;
    from = (rank + size - 1) % size;
    for (int i = 0; i < THREADS; i++)
        CHECK_EQ(MPI_Comm_dup(MPI_COMM_WORLD, &own[i]), MPI_SUCCESS);
    run(own_tags);
    run(own_communicators);
    run(compete);
    for (int i = 0; i < THREADS / 2 * ROUNDS; i++)
        CHECK_EQ(atomic_load(&taken[i]), 1);
    run(hand_over);
    run(come_and_go);
    for (int i = 0; i < THREADS; i++)
        CHECK_EQ(MPI_Comm_free(&own[i]), MPI_SUCCESS);
    MPI_Finalize();
    return 0;
}
