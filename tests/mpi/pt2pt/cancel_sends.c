/* ranks: 2 3 timeout: 60 also: INKLING_CMA=false also: INKLING_TRANSPORT=ofi also: INKLING_TRANSPORT=ucx also: CANCEL_THREADS=1 also: CANCEL_THREADS=1,INKLING_CMA=false */
/* A cancelled send ends although nobody receives, and its memory is the program's again: either it was
 * cancelled, and the next message takes its place, or it is received whole; never both, and never neither. */
#include "host.h"
#include "p2p.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <unistd.h>

enum {
    BYTES = 300000,
    LARGEST = 1100000,
    RACES = 150,
    MANY = 6000, /* more small messages than a ring has room for */
    LATE_US = 200000,
    THREADS = 2
};

enum how {
    STANDARD,
    SYNCHRONOUS,
    READY,
    BUFFERED,
    PERSISTENT,
    PERSISTENT_SYNCHRONOUS,
    PERSISTENT_READY,
    PERSISTENT_BUFFERED,
    GAPS,
    GAPS_SYNCHRONOUS,
    HOWS
};

static bool is_far;       /* no memory is shared: large ones that have left complete, too */
static MPI_Datatype gaps; /* BYTES bytes in every second 100 */

static size_t room_of(enum how how)
{
    return how >= GAPS ? (size_t)BYTES * 2 : BYTES;
}

/* As the receiver gets it. */
static void fill_for(enum how how, unsigned char *buffer, unsigned message)
{
    if (how < GAPS)
        fill(buffer, BYTES, message);
    for (size_t i = 0; how >= GAPS && i < BYTES; i++)
        buffer[i / 100 * 200 + i % 100] = byte_at(message, i);
}

static void start(enum how how, void *buf, int to, int tag, MPI_Comm comm, MPI_Request *r)
{
    MPI_Datatype type = how >= GAPS ? gaps : MPI_BYTE;
    int count = how >= GAPS ? 1 : BYTES;

    if (how == STANDARD || how == GAPS)
        CHECK_EQ(MPI_Isend(buf, count, type, to, tag, comm, r), MPI_SUCCESS);
    if (how == SYNCHRONOUS || how == GAPS_SYNCHRONOUS)
        CHECK_EQ(MPI_Issend(buf, count, type, to, tag, comm, r), MPI_SUCCESS);
    if (how == READY)
        CHECK_EQ(MPI_Irsend(buf, count, type, to, tag, comm, r), MPI_SUCCESS);
    if (how == BUFFERED)
        CHECK_EQ(MPI_Ibsend(buf, count, type, to, tag, comm, r), MPI_SUCCESS);
    if (how == PERSISTENT)
        CHECK_EQ(MPI_Send_init(buf, count, type, to, tag, comm, r), MPI_SUCCESS);
    if (how == PERSISTENT_SYNCHRONOUS)
        CHECK_EQ(MPI_Ssend_init(buf, count, type, to, tag, comm, r), MPI_SUCCESS);
    if (how == PERSISTENT_READY)
        CHECK_EQ(MPI_Rsend_init(buf, count, type, to, tag, comm, r), MPI_SUCCESS);
    if (how == PERSISTENT_BUFFERED)
        CHECK_EQ(MPI_Bsend_init(buf, count, type, to, tag, comm, r), MPI_SUCCESS);
    if (how >= PERSISTENT && how <= PERSISTENT_BUFFERED)
        CHECK_EQ(MPI_Start(r), MPI_SUCCESS);
}

/* Whether it was cancelled. */
static int cancel(MPI_Request *r)
{
    MPI_Status status;
    int cancelled;

    CHECK_EQ(MPI_Cancel(r), MPI_SUCCESS);
    CHECK_EQ(MPI_Wait(r, &status), MPI_SUCCESS);
    CHECK_EQ(MPI_Test_cancelled(&status, &cancelled), MPI_SUCCESS);
    return cancelled;
}

/* Nobody receives, and the receiver is perhaps not even in MPI. The next message says what came of it. */
static void send_and_cancel(enum how how, bool from_alloc_mem, int to, unsigned message, MPI_Comm comm)
{
    unsigned char *buf = NULL;
    MPI_Request r;
    int cancelled;

    if (from_alloc_mem)
        CHECK_EQ(MPI_Alloc_mem((MPI_Aint)room_of(how), MPI_INFO_NULL, &buf), MPI_SUCCESS);
    else
        buf = malloc(room_of(how));
    fill_for(how, buf, message);
    start(how, buf, to, 1, comm, &r);
    cancelled = cancel(&r);
    CHECK(cancelled || is_far || how == BUFFERED || how == PERSISTENT_BUFFERED);
    if (r != MPI_REQUEST_NULL)
        CHECK_EQ(MPI_Request_free(&r), MPI_SUCCESS);
    memset(buf, 0xee, room_of(how));
    if (from_alloc_mem)
        CHECK_EQ(MPI_Free_mem(buf), MPI_SUCCESS);
    else
        free(buf);
    CHECK_EQ(MPI_Send(&cancelled, 1, MPI_INT, to, 1, comm), MPI_SUCCESS);
}

/* The next message: the large one, then what came of it, or that alone. By one of the ways to receive. */
static void receive_either(unsigned char *buf, int from, unsigned message, unsigned way, MPI_Comm comm)
{
    MPI_Status s;
    MPI_Message m;
    MPI_Request r;
    int bytes, cancelled = 1, flag = 0;

    if (way % 4 == 0) {
        CHECK_EQ(MPI_Recv(buf, LARGEST, MPI_BYTE, from, 1, comm, &s), MPI_SUCCESS);
    } else if (way % 4 == 1) {
        CHECK_EQ(MPI_Mprobe(from, MPI_ANY_TAG, comm, &m, &s), MPI_SUCCESS);
        CHECK_EQ(MPI_Mrecv(buf, LARGEST, MPI_BYTE, &m, &s), MPI_SUCCESS);
    } else if (way % 4 == 2) {
        CHECK_EQ(MPI_Irecv(buf, LARGEST, MPI_BYTE, MPI_ANY_SOURCE, 1, comm, &r), MPI_SUCCESS);
        CHECK_EQ(MPI_Wait(&r, &s), MPI_SUCCESS);
    } else {
        while (!flag)
            CHECK_EQ(MPI_Iprobe(from, 1, comm, &flag, &s), MPI_SUCCESS);
        CHECK_EQ(MPI_Recv(buf, LARGEST, MPI_BYTE, from, MPI_ANY_TAG, comm, &s), MPI_SUCCESS);
    }
    CHECK_EQ(MPI_Get_count(&s, MPI_BYTE, &bytes), MPI_SUCCESS);
    if (bytes != sizeof cancelled) {
        CHECK_EQ(bytes, BYTES);
        CHECK_EQ(find_wrong(buf, BYTES, message), -1);
        CHECK_EQ(MPI_Recv(&cancelled, 1, MPI_INT, from, 1, comm, MPI_STATUS_IGNORE), MPI_SUCCESS);
        CHECK_EQ(cancelled, 0);
        return;
    }
    memcpy(&cancelled, buf, sizeof cancelled);
    CHECK_EQ(cancelled, 1);
}

/* Rank 0 cancels while the others wait for a signal, outside of MPI. */
static void cancel_each_kind(MPI_Comm comm)
{
    unsigned char *buf = malloc(LARGEST);
    int *pid = calloc((size_t)size, sizeof *pid), mine = (int)getpid(), number;
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    CHECK_EQ(sigprocmask(SIG_BLOCK, &set, NULL), 0);
    CHECK_EQ(MPI_Allgather(&mine, 1, MPI_INT, pid, 1, MPI_INT, comm), MPI_SUCCESS);
    if (rank)
        CHECK_EQ(sigwait(&set, &number), 0);
    for (int to = 1; !rank && to < size; to++)
        for (int i = 0; i < HOWS * 2; i++)
            send_and_cancel((enum how)(i / 2), i % 2, to, (unsigned)i, comm);
    for (int to = 1; !rank && to < size; to++)
        CHECK_EQ(kill(pid[to], SIGUSR1), 0);
    for (int i = 0; rank && i < HOWS * 2; i++)
        receive_either(buf, 0, (unsigned)i, (unsigned)(i / 2), comm);
    free(pid);
    free(buf);
}

static void cancel_to_oneself(MPI_Comm comm)
{
    unsigned char *buf = malloc(LARGEST);

    for (int i = 0; i < HOWS * 2; i++) {
        send_and_cancel((enum how)(i / 2), i % 2, rank, (unsigned)i, comm);
        receive_either(buf, rank, (unsigned)i, (unsigned)i, comm);
    }
    free(buf);
}

static unsigned draw(unsigned *seed, unsigned below)
{
    *seed = *seed * 1103515245u + 12345u;
    return (*seed >> 16) % below;
}

static void dawdle(unsigned *seed)
{
    unsigned kind = draw(seed, 4);

    for (unsigned i = kind == 3 ? 0 : draw(seed, 1u << (kind * 5 + 4)); i; i--)
        __asm__ volatile("" ::: "memory");
    if (kind == 3)
        sched_yield();
}

/* Rank 0 sends and cancels while the last rank receives. */
static void race(MPI_Comm comm, unsigned seed)
{
    unsigned char *buf = malloc(LARGEST);
    int last = size - 1, cancelled, taken = 0;

    for (unsigned i = 0; i < RACES; i++) {
        enum how how = (enum how)draw(&seed, HOWS);
        unsigned way = draw(&seed, 4);
        unsigned own = seed + (unsigned)rank * 7919u;
        MPI_Request r;

        how = how == READY || how == PERSISTENT_READY ? STANDARD : how;
        dawdle(&own);
        if (rank == last)
            receive_either(buf, 0, i, way, comm);
        if (rank)
            continue;
        fill_for(how, buf, i);
        start(how, buf, last, 1, comm, &r);
        dawdle(&own);
        cancelled = cancel(&r);
        if (r != MPI_REQUEST_NULL)
            CHECK_EQ(MPI_Request_free(&r), MPI_SUCCESS);
        memset(buf, 0xee, room_of(how));
        taken += !cancelled;
        CHECK_EQ(MPI_Send(&cancelled, 1, MPI_INT, last, 1, comm), MPI_SUCCESS);
    }
    if (!rank && getenv("CANCEL_VERBOSE"))
        fprintf(stderr, "%d of %d were received\n", taken, RACES);
    free(buf);
}

static MPI_Comm comms[THREADS];

static void *race_in_thread(void *comm)
{
    race(*(MPI_Comm *)comm, 17u + (unsigned)((MPI_Comm *)comm - comms));
    return NULL;
}

static void race_in_threads(void)
{
    pthread_t thread[THREADS];

    for (int i = 0; i < THREADS; i++)
        CHECK_EQ(MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]), MPI_SUCCESS);
    for (int i = 0; i < THREADS; i++)
        CHECK_EQ(pthread_create(&thread[i], NULL, race_in_thread, &comms[i]), 0);
    for (int i = 0; i < THREADS; i++)
        CHECK_EQ(pthread_join(thread[i], NULL), 0);
    for (int i = 0; i < THREADS; i++)
        CHECK_EQ(MPI_Comm_free(&comms[i]), MPI_SUCCESS);
}

/* Receives may be announced to their senders. */
static void cancel_where_lengths_are_exact(void)
{
    MPI_Comm comm;
    MPI_Info info;

    CHECK_EQ(MPI_Info_create(&info), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_set(info, "mpi_assert_exact_length", "true"), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &comm), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);
    for (int i = 0; !rank && i < HOWS * 2; i++) {
        int cancelled, zero = 0;

        if (i / 2 == BUFFERED || i / 2 == PERSISTENT_BUFFERED || is_far)
            continue;
        send_and_cancel((enum how)(i / 2), i % 2, 1, (unsigned)i, comm);
        CHECK_EQ(MPI_Send(&zero, 1, MPI_INT, 1, 2, comm), MPI_SUCCESS);
        CHECK_EQ(MPI_Recv(&cancelled, 1, MPI_INT, 1, 2, comm, MPI_STATUS_IGNORE), MPI_SUCCESS);
        CHECK_EQ(cancelled, 1);
    }
    for (int i = 0; rank == 1 && i < HOWS * 2; i++) {
        int cancelled, zero;

        if (i / 2 == BUFFERED || i / 2 == PERSISTENT_BUFFERED || is_far)
            continue;
        CHECK_EQ(MPI_Recv(&zero, 1, MPI_INT, 0, 2, comm, MPI_STATUS_IGNORE), MPI_SUCCESS);
        CHECK_EQ(MPI_Recv(&cancelled, 1, MPI_INT, 0, 1, comm, MPI_STATUS_IGNORE), MPI_SUCCESS);
        CHECK_EQ(MPI_Send(&cancelled, 1, MPI_INT, 0, 2, comm), MPI_SUCCESS);
    }
    CHECK_EQ(MPI_Comm_free(&comm), MPI_SUCCESS);
}

/* A small send that found no room, behind others to a receiver that is late, is taken back. */
static void cancel_queued(void)
{
    static int words[MANY];
    static MPI_Request requests[MANY];
    MPI_Status status;
    int word, cancelled;

    for (int i = 0; !rank && i < MANY; i++) {
        words[i] = i;
        CHECK_EQ(MPI_Isend(&words[i], 1, MPI_INT, 1, 11, MPI_COMM_WORLD, &requests[i]), MPI_SUCCESS);
    }
    if (!rank) {
        CHECK_EQ(MPI_Cancel(&requests[MANY - 1]), MPI_SUCCESS);
        CHECK_EQ(MPI_Wait(&requests[MANY - 1], &status), MPI_SUCCESS);
        CHECK_EQ(MPI_Test_cancelled(&status, &cancelled), MPI_SUCCESS);
        CHECK_EQ(MPI_Send(&cancelled, 1, MPI_INT, 1, 10, MPI_COMM_WORLD), MPI_SUCCESS);
        CHECK_EQ(MPI_Waitall(MANY - 1, requests, MPI_STATUSES_IGNORE), MPI_SUCCESS);
        CHECK_EQ(MPI_Send(&words[7], 1, MPI_INT, 1, 11, MPI_COMM_WORLD), MPI_SUCCESS);
    } else if (rank == 1) {
        usleep(LATE_US);
        CHECK_EQ(MPI_Recv(&cancelled, 1, MPI_INT, 0, 10, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPI_SUCCESS);
        for (int i = 0; i <= MANY - cancelled; i++) {
            CHECK_EQ(MPI_Recv(&word, 1, MPI_INT, 0, 11, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPI_SUCCESS);
            CHECK_EQ(word, i == MANY - cancelled ? 7 : i);
        }
    }
}

/* What was not cancelled is still there for a receive that comes when its sender is in MPI_Finalize. */
static void cancel_last(void)
{
    static unsigned char bytes[BYTES];
    MPI_Request request;
    MPI_Status status;
    int cancelled;

    if (!rank) {
        fill(bytes, BYTES, 77);
        CHECK_EQ(MPI_Isend(bytes, BYTES, MPI_BYTE, 1, 8, MPI_COMM_WORLD, &request), MPI_SUCCESS);
        CHECK_EQ(MPI_Cancel(&request), MPI_SUCCESS);
        CHECK_EQ(MPI_Wait(&request, &status), MPI_SUCCESS);
        CHECK_EQ(MPI_Test_cancelled(&status, &cancelled), MPI_SUCCESS);
        memset(bytes, 0, BYTES);
        CHECK_EQ(MPI_Send(&cancelled, 1, MPI_INT, 1, 9, MPI_COMM_WORLD), MPI_SUCCESS);
    } else if (rank == 1) {
        CHECK_EQ(MPI_Recv(&cancelled, 1, MPI_INT, 0, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPI_SUCCESS);
        usleep(LATE_US);
        if (cancelled)
            return;
        CHECK_EQ(MPI_Recv(bytes, BYTES, MPI_BYTE, 0, 8, MPI_COMM_WORLD, &status), MPI_SUCCESS);
        CHECK_STATUS(&status, 0, 8, BYTES);
        CHECK_EQ(find_wrong(bytes, BYTES, 77), -1);
    }
}

int main(int argc, char **argv)
{
    bool with_threads = getenv("CANCEL_THREADS");
    int provided;

    MPI_Init_thread(&argc, &argv, with_threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
    set_up();
    is_far = !shares_memory(MPI_COMM_WORLD);
    CHECK_EQ(MPI_Buffer_attach(MPI_BUFFER_AUTOMATIC, 0), MPI_SUCCESS);
    CHECK_EQ(MPI_Type_vector(BYTES / 100, 100, 200, MPI_BYTE, &gaps), MPI_SUCCESS);
    CHECK_EQ(MPI_Type_commit(&gaps), MPI_SUCCESS);
    cancel_each_kind(MPI_COMM_WORLD);
    CHECK_EQ(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS); /* each receives from any source */
    cancel_to_oneself(MPI_COMM_WORLD);
    CHECK_EQ(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS);
    race(MPI_COMM_WORLD, 5);
    if (with_threads)
        race_in_threads();
    cancel_where_lengths_are_exact();
    CHECK_EQ(MPI_Type_free(&gaps), MPI_SUCCESS);
    cancel_queued();
    cancel_last();
    MPI_Finalize();
    return 0;
}
