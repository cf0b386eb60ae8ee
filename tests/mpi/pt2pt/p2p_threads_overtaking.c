/* ranks: 1 2 3 timeout: 60 also: INKLING_CMA=false also: INKLING_RING_SIZE=4096 also: INKLING_LANES=3 */
/* Threads with mpi_assert_allow_overtaking, asserted by all ranks, by some or by none, and taken back while
 * they send and receive: every message arrives once and whole, whatever it is received with; receives that
 * nothing matches can be cancelled. Once it has been taken back, messages keep their order, whatever tags
 * they have. The seed is printed. */
#include "p2p.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <time.h>

enum {
    THREADS = 3,
    MESSAGES = 150,
    ROUNDS = 8, /* each way to assert it, with receives of own tags and of any */
    LARGE = 20000
};

static MPI_Comm comm;
static unsigned seed;
static int to, from, round_number;
static atomic_int taken[THREADS * MESSAGES];

static int length_of(int number)
{
    static const int lengths[] = {4, 60, 500, 5000, LARGE};

    return lengths[number % 5];
}

static unsigned name_of(int sender, int number)
{
    return (unsigned)(sender * 7919 + round_number * 1009 + number);
}

static void check_message(const unsigned char *bytes, MPI_Status *status)
{
    int number;

    memcpy(&number, bytes, sizeof number);
    CHECK(number >= 0 && number < THREADS * MESSAGES);
    CHECK_STATUS(status, from, number / MESSAGES, length_of(number));
    CHECK_EQ(find_wrong(bytes + 4, (size_t)length_of(number) - 4, name_of(from, number)), -1);
    CHECK_EQ(atomic_fetch_add(&taken[number], 1), 0);
}

/* One message by any of the ways to ask for one; `tag` is the own one or a wildcard. */
static void receive_one(int how, int tag, unsigned char *in)
{
    int source = how % 2 ? MPI_ANY_SOURCE : from;
    MPI_Message message;
    MPI_Request request;
    MPI_Status status;

    if (how < 2) {
        CHECK_EQ(MPI_Recv(in, LARGE, MPI_BYTE, source, tag, comm, &status), MPI_SUCCESS);
    } else if (how < 4) {
        CHECK_EQ(MPI_Mprobe(source, tag, comm, &message, &status), MPI_SUCCESS);
        CHECK_EQ(MPI_Mrecv(in, LARGE, MPI_BYTE, &message, &status), MPI_SUCCESS);
    } else {
        CHECK_EQ(MPI_Irecv(in, LARGE, MPI_BYTE, source, tag, comm, &request), MPI_SUCCESS);
        CHECK_EQ(MPI_Wait(&request, &status), MPI_SUCCESS);
    }
    check_message(in, &status);
}

/* Tag 99 is never sent. */
static void cancel_one(void)
{
    int word, cancelled = 0;
    MPI_Request request;
    MPI_Status status;

    CHECK_EQ(MPI_Irecv(&word, 1, MPI_INT, from, 99, comm, &request), MPI_SUCCESS);
    CHECK_EQ(MPI_Cancel(&request), MPI_SUCCESS);
    CHECK_EQ(MPI_Wait(&request, &status), MPI_SUCCESS);
    CHECK_EQ(MPI_Test_cancelled(&status, &cancelled), MPI_SUCCESS);
    CHECK_EQ(cancelled, 1);
}

/* In a round all receivers ask for their own tag, or all for any: no thread takes what another one needs. */
static void *run(void *arg)
{
    int me = (int)(intptr_t)arg, tag = round_number % 2 ? MPI_ANY_TAG : me;
    unsigned random = seed + (unsigned)(me * 31 + rank * 101 + round_number);
    unsigned char *in = malloc(LARGE), *out = malloc((size_t)MESSAGES * LARGE);
    MPI_Request request[MESSAGES];

    for (int i = 0; i < MESSAGES; i++) {
        unsigned char *bytes = out + (size_t)i * LARGE;
        int number = me * MESSAGES + i;

        memcpy(bytes, &number, sizeof number);
        fill(bytes + 4, (size_t)length_of(number) - 4, name_of(rank, number));
        CHECK_EQ(MPI_Isend(bytes, length_of(number), MPI_BYTE, to, me, comm, &request[i]), MPI_SUCCESS);
        if (rand_r(&random) % 8 == 0)
            cancel_one();
        receive_one((int)(rand_r(&random) % 6), tag, in);
    }
    CHECK_EQ(MPI_Waitall(MESSAGES, request, MPI_STATUSES_IGNORE), MPI_SUCCESS);
    free(in);
    free(out);
    return NULL;
}

enum way {
    BY_ALL,
    BY_EVEN_RANKS,
    BY_NONE,
    TAKEN_BACK /* by odd ranks, or the only one, while threads send and receive */
};

static MPI_Info info_of(bool yes)
{
    MPI_Info info;

    CHECK_EQ(MPI_Info_create(&info), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_set(info, "mpi_assert_allow_overtaking", yes ? "true" : "false"), MPI_SUCCESS);
    return info;
}

static void open_comm(enum way way)
{
    MPI_Info info = info_of(way == BY_ALL || way == TAKEN_BACK || (way == BY_EVEN_RANKS && rank % 2 == 0));

    CHECK_EQ(MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &comm), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);
}

static void take_back(void)
{
    MPI_Info info = info_of(size > 1 && rank % 2 == 0);

    CHECK_EQ(MPI_Comm_set_info(comm, info), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);
}

/* Of one sender, each with another tag, some large. */
static void check_order(void)
{
    static int out[MESSAGES][LARGE / 4], in[LARGE / 4];
    MPI_Request request[MESSAGES];
    MPI_Status status;

    for (int i = 0; i < MESSAGES; i++) {
        out[i][0] = i;
        CHECK_EQ(MPI_Isend(out[i], i % 7 ? 1 : LARGE / 4, MPI_INT, to, 1000 + i * 3, comm, &request[i]),
                 MPI_SUCCESS);
    }
    for (int i = 0; i < MESSAGES; i++) {
        CHECK_EQ(MPI_Recv(in, LARGE / 4, MPI_INT, i % 2 ? from : MPI_ANY_SOURCE,
                          i % 3 ? MPI_ANY_TAG : 1000 + i * 3, comm, &status),
                 MPI_SUCCESS);
        CHECK_EQ(status.MPI_TAG, 1000 + i * 3);
        CHECK_EQ(in[0], i);
    }
    CHECK_EQ(MPI_Waitall(MESSAGES, request, MPI_STATUSES_IGNORE), MPI_SUCCESS);
}

/* Receives of before wait for messages of after. */
static void check_change(void)
{
    int in[THREADS] = {-1, -1, -1}, out[THREADS];
    MPI_Request request[2 * THREADS];

    open_comm(TAKEN_BACK);
    for (int i = 0; i < THREADS; i++)
        CHECK_EQ(MPI_Irecv(&in[i], 1, MPI_INT, from, i, comm, &request[i]), MPI_SUCCESS);
    take_back();
    for (int i = 0; i < THREADS; i++) {
        out[i] = i;
        CHECK_EQ(MPI_Isend(&out[i], 1, MPI_INT, to, i, comm, &request[THREADS + i]), MPI_SUCCESS);
    }
    CHECK_EQ(MPI_Waitall(2 * THREADS, request, MPI_STATUSES_IGNORE), MPI_SUCCESS);
    for (int i = 0; i < THREADS; i++)
        CHECK_EQ(in[i], i);
    CHECK_EQ(MPI_Comm_free(&comm), MPI_SUCCESS);
}

static void run_round(void)
{
    enum way way = (enum way)(round_number / 2);
    pthread_t thread[THREADS];

    open_comm(way);
    for (intptr_t i = 0; i < THREADS; i++)
        CHECK_EQ(pthread_create(&thread[i], NULL, run, (void *)i), 0);
    if (way == TAKEN_BACK)
        take_back();
    for (int i = 0; i < THREADS; i++)
        CHECK_EQ(pthread_join(thread[i], NULL), 0);
    for (int i = 0; i < THREADS * MESSAGES; i++)
        CHECK_EQ(atomic_exchange(&taken[i], 0), 1);
    if (way == TAKEN_BACK || way == BY_NONE)
        check_order();
    CHECK_EQ(MPI_Comm_free(&comm), MPI_SUCCESS);
    CHECK_EQ(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS);
}

int main(int argc, char **argv)
{
    const char *given = getenv("P2P_SEED");
    int provided;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    CHECK_EQ(provided, MPI_THREAD_MULTIPLE);
    set_up();
    seed = given ? (unsigned)atoi(given) : (unsigned)time(NULL);
    if (rank == 0)
        printf("P2P_SEED=%u\n", seed);
    to = (rank + 1) % size;
    from = (rank + size - 1) % size;
    check_change();
    for (round_number = 0; round_number < ROUNDS; round_number++)
        run_round();
    MPI_Finalize();
    return 0;
}
