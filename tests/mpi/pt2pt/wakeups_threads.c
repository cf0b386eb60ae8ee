/* ranks: 2 timeout: 20 env: INKLING_SPIN_TIME=0 also: INKLING_PROGRESS_THREAD=true */
/* Threads that sleep at once, over and over. What wakes them falls before, into and after the moment in which
 * they go to sleep. Each waits for something that only one event can bring about, so a lost wake-up, once in
 * some ten thousand times, hangs. */
#include "wakeups.h"

#include "p2p.h"

#include <pthread.h>
#include <semaphore.h>
#include <signal.h>

enum {
    LARGE = 200000,
    PROBE_US = 20,
    ASLEEP_US = 1000 /* by then a thread sleeps */
};

static unsigned seed;
static atomic_bool is_over;
static sem_t served; /* by the other thread: outside of MPI */
static MPI_Comm own[2];

static pthread_t start(void *(*body)(void *), void *arg)
{
    pthread_t thread;

    CHECK_EQ(pthread_create(&thread, NULL, body, arg), 0);
    return thread;
}

static void pause_us(long us)
{
    nanosleep(&(struct timespec){0, us * 1000}, NULL);
}

static void wait_served(void)
{
    while (sem_wait(&served) != 0)
        ;
}

static int receive_word(int from, int tag, MPI_Comm comm)
{
    int word = -1;

    CHECK_EQ(MPI_Recv(&word, 1, MPI_INT, from, tag, comm, MPI_STATUS_IGNORE), MPI_SUCCESS);
    return word;
}

static void send_word(int word, int to, int tag, MPI_Comm comm)
{
    CHECK_EQ(MPI_Send(&word, 1, MPI_INT, to, tag, comm), MPI_SUCCESS);
}

/* A message to oneself wakes the thread that waits for it. The other rank sleeps meanwhile. */
static void *receive_from_self(void *unused)
{
    while (receive_word(0, 1, MPI_COMM_SELF))
        sem_post(&served);
    return unused;
}

static void to_oneself(void)
{
    double end = now_us() + SECTION_MS * 1e3;
    pthread_t thread;

    if (rank == 1)
        return;
    thread = start(receive_from_self, NULL);
    while (now_us() < end) {
        linger(&seed, THREAD_US);
        send_word(1, 0, 1, MPI_COMM_SELF);
        wait_served();
    }
    send_word(0, 0, 1, MPI_COMM_SELF);
    CHECK_EQ(pthread_join(thread, NULL), 0);
}

/* A receive wakes the thread that waits for its synchronous send to begin. */
static void *send_to_self(void *unused)
{
    int more;

    do {
        more = !atomic_load(&is_over);
        CHECK_EQ(MPI_Ssend(&more, 1, MPI_INT, 0, 2, MPI_COMM_SELF), MPI_SUCCESS);
        sem_post(&served);
    } while (more);
    return unused;
}

static void from_oneself(void)
{
    double end = now_us() + SECTION_MS * 1e3;
    pthread_t thread;
    int more = 1;

    if (rank == 1)
        return;
    atomic_store(&is_over, false);
    thread = start(send_to_self, NULL);
    while (more) {
        atomic_store(&is_over, now_us() > end);
        linger(&seed, THREAD_US);
        more = receive_word(0, 2, MPI_COMM_SELF);
        wait_served();
    }
    CHECK_EQ(pthread_join(thread, NULL), 0);
}

/* A long message to oneself wakes the thread that waits for it, which moves it: its sender is not in MPI meanwhile. */
static void *receive_long(void *unused)
{
    static char bytes[LARGE];

    do {
        CHECK_EQ(MPI_Recv(bytes, LARGE, MPI_BYTE, 0, 3, MPI_COMM_SELF, MPI_STATUS_IGNORE), MPI_SUCCESS);
        sem_post(&served);
    } while (bytes[0]);
    return unused;
}

static void long_to_oneself(void)
{
    static char bytes[LARGE];
    double end = now_us() + SECTION_MS * 1e3;
    pthread_t thread;

    if (rank == 1)
        return;
    thread = start(receive_long, NULL);
    for (bytes[0] = 1; bytes[0];) {
        MPI_Request request;

        bytes[0] = now_us() < end;
        linger(&seed, THREAD_US);
        CHECK_EQ(MPI_Isend(bytes, LARGE, MPI_BYTE, 0, 3, MPI_COMM_SELF, &request), MPI_SUCCESS);
        wait_served();
        CHECK_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
    }
    CHECK_EQ(pthread_join(thread, NULL), 0);
}

/* A rank waits for a message of one communicator after it has used another, whose lane its thread polls. */
static void in_another_lane(void)
{
    double end = now_us() + SECTION_MS * 1e3;

    for (int more = 1; more;) {
        MPI_Request request;

        if (rank == 0) {
            more = now_us() < end;
            CHECK_EQ(receive_word(1, 41, own[1]), 1);
            linger(&seed, RANK_US);
            send_word(more, 1, 42, own[0]);
            continue;
        }
        CHECK_EQ(MPI_Irecv(&more, 1, MPI_INT, 0, 42, own[0], &request), MPI_SUCCESS);
        send_word(1, 0, 41, own[1]);
        linger(&seed, RANK_US);
        CHECK_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
    }
}

/* A thread of rank 0 waits for rank 1; the other one takes in the message, and has no other use for it. */
static void *answer(void *unused)
{
    int more;

    do {
        more = receive_word(1, 11, MPI_COMM_WORLD);
        send_word(more, 1, 12, MPI_COMM_WORLD);
    } while (more);
    atomic_store(&is_over, true);
    return unused;
}

static void taken_in_by_another(void)
{
    double end = now_us() + SECTION_MS * 1e3;
    pthread_t thread;
    int more = 1, flag;

    atomic_store(&is_over, false);
    if (rank == 0) {
        thread = start(answer, NULL);
        while (!atomic_load(&is_over)) {
            linger(&seed, PROBE_US);
            CHECK_EQ(MPI_Iprobe(1, 99, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE), MPI_SUCCESS);
        }
        CHECK_EQ(pthread_join(thread, NULL), 0);
        return;
    }
    while (more) {
        more = now_us() < end;
        linger(&seed, THREAD_US);
        send_word(more, 0, 11, MPI_COMM_WORLD);
        CHECK_EQ(receive_word(0, 12, MPI_COMM_WORLD), more);
    }
}

/* Two threads of rank 0 sleep. One gets up, and leaves MPI: the other one can still be woken. */
static void *sleep_on(void *unused)
{
    int more;

    do {
        more = receive_word(1, 21, MPI_COMM_WORLD);
        sem_post(&served);
    } while (more);
    return unused;
}

static void one_gets_up(void)
{
    double end = now_us() + SECTION_MS * 1e3;
    int more = 1;

    if (rank == 0) {
        pthread_t thread = start(sleep_on, NULL);

        while (more) {
            pause_us(ASLEEP_US); /* the other one */
            send_word(0, 1, 24, MPI_COMM_WORLD);
            more = receive_word(1, 22, MPI_COMM_WORLD);
            send_word(more, 1, 23, MPI_COMM_WORLD);
            wait_served();
        }
        CHECK_EQ(pthread_join(thread, NULL), 0);
        return;
    }
    while (more) {
        more = now_us() < end;
        CHECK_EQ(receive_word(0, 24, MPI_COMM_WORLD), 0);
        linger(&seed, THREAD_US);
        send_word(more, 0, 22, MPI_COMM_WORLD);
        CHECK_EQ(receive_word(0, 23, MPI_COMM_WORLD), more);
        linger(&seed, THREAD_US);
        send_word(more, 0, 21, MPI_COMM_WORLD);
    }
}

/* Each of two threads, on a communicator of its own, with that of the other rank. */
static void *ping(void *number)
{
    MPI_Comm comm = own[(intptr_t)number];
    unsigned mine = (unsigned)((intptr_t)number * 2 + rank + 1);
    double end = now_us() + SECTION_MS * 1e3;
    int more = 1;

    while (more) {
        if (rank == 0) {
            more = now_us() < end;
            linger(&mine, THREAD_US);
            send_word(more, 1, 5, comm);
            CHECK_EQ(receive_word(1, 5, comm), more);
        } else {
            more = receive_word(0, 5, comm);
            linger(&mine, THREAD_US);
            send_word(more, 0, 5, comm);
        }
    }
    return NULL;
}

/* The same with collectives that have requests: a thread moves those of both. */
static void *reduce(void *number)
{
    MPI_Comm comm = own[(intptr_t)number];
    unsigned mine = (unsigned)((intptr_t)number * 2 + rank + 1);
    double end = now_us() + SECTION_MS * 1e3;
    MPI_Request request;
    int in, out = 1;

    while (out) {
        in = rank == 0 && now_us() < end;
        linger(&mine, THREAD_US);
        CHECK_EQ(MPI_Iallreduce(&in, &out, 1, MPI_INT, MPI_MAX, comm, &request), MPI_SUCCESS);
        CHECK_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
    }
    return NULL;
}

static void side_by_side(void *(*body)(void *))
{
    pthread_t thread[2];

    for (intptr_t i = 0; i < 2; i++)
        thread[i] = start(body, (void *)i);
    for (int i = 0; i < 2; i++)
        CHECK_EQ(pthread_join(thread[i], NULL), 0);
}

/* The other rank sends a signal, outside of MPI. It is blocked in all threads. */
static sigset_t signals;

static void block_signal(void)
{
    sigemptyset(&signals);
    sigaddset(&signals, SIGUSR1);
    CHECK_EQ(pthread_sigmask(SIG_BLOCK, &signals, NULL), 0);
}

static void wait_for_signal(void)
{
    int number;

    CHECK_EQ(sigwait(&signals, &number), 0);
}

/* While rank 0 is not in MPI its work is done by the library's own thread, which must be woken: it answers
 * the RTS of a long message, and sends what found no room in the ring. */
static void without_the_program(void)
{
    static char bytes[LARGE];
    static MPI_Request sends[MANY];
    double end = now_us() + SECTION_MS * 1e3;
    MPI_Request request;
    int pid = rank == 0 ? getpid() : 0;
    char more = 1;

    CHECK_EQ(MPI_Bcast(&pid, 1, MPI_INT, 0, MPI_COMM_WORLD), MPI_SUCCESS);
    while (more) {
        if (rank == 0) {
            more = now_us() < end;
            CHECK_EQ(MPI_Irecv(bytes, LARGE, MPI_BYTE, 1, 31, MPI_COMM_WORLD, &request), MPI_SUCCESS);
            linger(&seed, THREAD_US);
            for (int i = 0; i < MANY; i++)
                CHECK_EQ(MPI_Isend(&more, 1, MPI_BYTE, 1, 32, MPI_COMM_WORLD, &sends[i]), MPI_SUCCESS);
            wait_for_signal();
            CHECK_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
            CHECK_EQ(MPI_Waitall(MANY, sends, MPI_STATUSES_IGNORE), MPI_SUCCESS);
            continue;
        }
        linger(&seed, THREAD_US);
        for (int i = 0; i < MANY; i++)
            CHECK_EQ(MPI_Recv(&more, 1, MPI_BYTE, 0, 32, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPI_SUCCESS);
        linger(&seed, THREAD_US);
        CHECK_EQ(MPI_Ssend(bytes, LARGE, MPI_BYTE, 0, 31, MPI_COMM_WORLD), MPI_SUCCESS);
        CHECK_EQ(kill(pid, SIGUSR1), 0);
    }
}

/* The library's own thread ends with the last session, whatever it is at. */
static void open_and_close(void)
{
    for (int i = 0; i < 100; i++) {
        MPI_Session session;

        CHECK_EQ(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session), MPI_SUCCESS);
        linger(&seed, THREAD_US);
        CHECK_EQ(MPI_Session_finalize(&session), MPI_SUCCESS);
    }
}

int main(int argc, char **argv)
{
    int provided;

    block_signal();
    open_and_close();
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    CHECK_EQ(provided, MPI_THREAD_MULTIPLE);
    set_up();
    seed = (unsigned)rank + 1;
    CHECK_EQ(sem_init(&served, 0, 0), 0);
    for (int i = 0; i < 2; i++)
        CHECK_EQ(MPI_Comm_dup(MPI_COMM_WORLD, &own[i]), MPI_SUCCESS);
    to_oneself();
    from_oneself();
    long_to_oneself();
    in_another_lane();
    taken_in_by_another();
    one_gets_up();
    side_by_side(ping);
    side_by_side(reduce);
    if (getenv("INKLING_PROGRESS_THREAD"))
        without_the_program();
    for (int i = 0; i < 2; i++)
        CHECK_EQ(MPI_Comm_free(&own[i]), MPI_SUCCESS);
    MPI_Finalize();
    return 0;
}
