/* ranks: 2  timeout: 60  not: thread */
/* Performance variables count what happens: messages by protocol, queues, collectives, windows, files. */
#include "mpit.h"

#include <unistd.h>

static MPI_T_pvar_session session;
static int rank;

enum {
    MANY = 10,
    LARGE = 100000
};

static char buffer[LARGE];

static MPI_T_pvar_handle counter(const char *name)
{
    return mpit_start(session, name, MPI_T_PVAR_CLASS_COUNTER, MPI_COMM_WORLD);
}

static MPI_T_pvar_handle aggregate(const char *name)
{
    return mpit_start(session, name, MPI_T_PVAR_CLASS_AGGREGATE, MPI_COMM_WORLD);
}

static void exchange(int count, int bytes, MPI_Comm comm)
{
    for (int i = 0; i < count; i++)
        if (rank == 0)
            MPI_Send(buffer, bytes, MPI_CHAR, 1, i, comm);
        else
            MPI_Recv(buffer, bytes, MPI_CHAR, 0, i, comm, MPI_STATUS_IGNORE);
}

static void count_eager(void)
{
    MPI_T_pvar_handle messages = counter("inkling_eager_messages"), bytes = aggregate("inkling_eager_bytes");
    MPI_T_pvar_handle of_world = counter("inkling_comm_eager_messages"),
                      bytes_of_world = aggregate("inkling_comm_eager_bytes");
    MPI_T_pvar_handle received = counter("inkling_comm_received_messages"),
                      bytes_received = aggregate("inkling_comm_received_bytes");
    MPI_Comm other;

    MPI_Comm_dup(MPI_COMM_WORLD, &other);
    exchange(MANY, 8, MPI_COMM_WORLD);
    exchange(3, 100, other);
    CHECK_EQ(mpit_read(session, messages), rank == 0 ? MANY + 3 : 0);
    CHECK_EQ(mpit_read(session, bytes), rank == 0 ? MANY * 8 + 300 : 0);
    CHECK_EQ(mpit_read(session, of_world), rank == 0 ? MANY : 0);
    CHECK_EQ(mpit_read(session, bytes_of_world), rank == 0 ? MANY * 8 : 0);
    CHECK_EQ(mpit_read(session, received), rank == 0 ? 0 : MANY);
    CHECK_EQ(mpit_read(session, bytes_received), rank == 0 ? 0 : MANY * 8);
    MPI_Comm_free(&other);
}

static void count_large(void)
{
    static const char *const names[] = {"inkling_dual_copy_messages", "inkling_single_copy_messages",
                                        "inkling_network_read_messages", "inkling_pieces_messages"};
    MPI_T_pvar_handle sent = counter("inkling_rendezvous_messages"),
                      bytes = aggregate("inkling_rendezvous_bytes");
    MPI_T_pvar_handle eager = counter("inkling_eager_messages"), protocol[4];
    unsigned long long sum = 0;

    for (int i = 0; i < 4; i++)
        protocol[i] = counter(names[i]);
    exchange(MANY, LARGE, MPI_COMM_WORLD);
    CHECK_EQ(mpit_read(session, sent), rank == 0 ? MANY : 0);
    CHECK_EQ(mpit_read(session, bytes), rank == 0 ? MANY * LARGE : 0);
    CHECK_EQ(mpit_read(session, eager), 0);
    for (int i = 0; i < 4; i++)
        sum += mpit_read(session, protocol[i]);
    CHECK_EQ(sum, rank == 0 ? 0 : MANY);
}

static void watch_queues(void)
{
    MPI_Comm comm = MPI_COMM_WORLD;
    MPI_T_pvar_handle posted =
        mpit_start(session, "inkling_comm_posted_receives", MPI_T_PVAR_CLASS_LEVEL, comm);
    MPI_T_pvar_handle queue =
        mpit_start(session, "inkling_comm_unexpected_queue", MPI_T_PVAR_CLASS_LEVEL, comm);
    MPI_T_pvar_handle all = mpit_start(session, "inkling_unexpected_queue", MPI_T_PVAR_CLASS_LEVEL, comm);
    MPI_T_pvar_handle high =
        mpit_start(session, "inkling_comm_unexpected_queue", MPI_T_PVAR_CLASS_HIGHWATERMARK, comm);
    MPI_T_pvar_handle high_posted =
        mpit_start(session, "inkling_posted_receives", MPI_T_PVAR_CLASS_HIGHWATERMARK, comm);
    MPI_T_pvar_handle low =
        mpit_start(session, "inkling_posted_receives", MPI_T_PVAR_CLASS_LOWWATERMARK, comm);
    MPI_T_pvar_handle came = counter("inkling_unexpected_messages");
    MPI_Request request[MANY];

    MPI_Barrier(MPI_COMM_WORLD); /* what came before would not count */
    if (rank == 0) {
        for (int i = 0; i < MANY; i++)
            MPI_Send(buffer, 4, MPI_CHAR, 1, i, MPI_COMM_WORLD);
        MPI_Send(buffer, 4, MPI_CHAR, 1, 1000, MPI_COMM_WORLD);
    } else {
        MPI_Recv(buffer, 4, MPI_CHAR, 0, 1000, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        CHECK_EQ(mpit_read(session, queue), MANY);
        CHECK_EQ(mpit_read(session, all), MANY);
        CHECK(mpit_read(session, high) - MANY <= 1); /* the last one may have come before its receive */
        CHECK(mpit_read(session, came) >= MANY);
        for (int i = MANY - 1; i >= 0; i--)
            MPI_Recv(buffer, 4, MPI_CHAR, 0, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        CHECK_EQ(mpit_read(session, queue), 0);
        CHECK(mpit_read(session, high) - MANY <= 1); /* the last one may have come before its receive */
        CHECK_EQ(MPI_T_pvar_reset(session, high), MPI_SUCCESS);
        CHECK_EQ(mpit_read(session, high), 0);
        for (int i = 0; i < MANY; i++)
            MPI_Irecv(buffer + i, 1, MPI_CHAR, 0, 2000 + i, MPI_COMM_WORLD, &request[i]);
        CHECK_EQ(mpit_read(session, posted), MANY);
        CHECK(mpit_read(session, high_posted) >= MANY);
        CHECK_EQ(MPI_T_pvar_reset(session, low), MPI_SUCCESS);
        CHECK_EQ(mpit_read(session, low), MANY);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        for (int i = 0; i < MANY; i++)
            MPI_Send(buffer, 1, MPI_CHAR, 1, 2000 + i, MPI_COMM_WORLD);
    } else {
        MPI_Waitall(MANY, request, MPI_STATUSES_IGNORE);
        CHECK_EQ(mpit_read(session, posted), 0);
        CHECK_EQ(mpit_read(session, low), 0);
    }
}

/* Sessions do not see each other; a handle counts only while it is started. */
static void count_apart(void)
{
    MPI_T_pvar_session other;
    MPI_T_pvar_handle one, two;
    unsigned long long value = 100;
    int index = mpit_pvar("inkling_collectives_by_messages", MPI_T_PVAR_CLASS_COUNTER), count;

    MPI_T_pvar_session_create(&other);
    one = counter("inkling_comm_collectives");
    two = mpit_start(other, "inkling_comm_collectives", MPI_T_PVAR_CLASS_COUNTER, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK_EQ(MPI_T_pvar_stop(other, two), MPI_SUCCESS);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK_EQ(mpit_read(session, one), 2);
    CHECK_EQ(mpit_read(other, two), 1);
    CHECK_EQ(MPI_T_pvar_start(other, two), MPI_SUCCESS);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK_EQ(mpit_read(other, two), 2);
    CHECK_EQ(MPI_T_pvar_readreset(other, two, &value), MPI_SUCCESS);
    CHECK_EQ(value, 2);
    CHECK_EQ(mpit_read(other, two), 0);
    CHECK_EQ(mpit_read(session, one), 3);
    value = 100;
    CHECK_EQ(MPI_T_pvar_write(other, two, &value), MPI_SUCCESS);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK_EQ(mpit_read(other, two), 101);
    CHECK_EQ(mpit_read(session, one), 4);
    CHECK_EQ(MPI_T_pvar_read(other, one, &value), MPI_T_ERR_INVALID_HANDLE);
    CHECK_EQ(MPI_T_pvar_handle_alloc(other, index, NULL, &one, &count), MPI_SUCCESS);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK_EQ(mpit_read(other, one), 0); /* not started */
    CHECK_EQ(MPI_T_pvar_handle_free(other, &two), MPI_SUCCESS);
    CHECK(two == MPI_T_PVAR_HANDLE_NULL);
    CHECK_EQ(MPI_T_pvar_session_free(&other), MPI_SUCCESS);
    CHECK(other == MPI_T_PVAR_SESSION_NULL);
}

static void count_proofs(void)
{
    MPI_T_pvar_handle tags = counter("inkling_comm_any_tag"), sources = counter("inkling_comm_any_source");
    MPI_T_pvar_handle lengths = counter("inkling_comm_other_length");

    if (rank == 0) {
        MPI_Send(buffer, 4, MPI_CHAR, 1, 1, MPI_COMM_WORLD);
    } else {
        MPI_Recv(buffer, 8, MPI_CHAR, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        CHECK_EQ(mpit_read(session, tags), 1);
        CHECK_EQ(mpit_read(session, sources), 1);
        CHECK_EQ(mpit_read(session, lengths), 1);
    }
}

static void count_window_and_file(void)
{
    MPI_T_pvar_handle puts = counter("inkling_puts"), bytes = aggregate("inkling_put_bytes");
    MPI_T_pvar_handle gets = counter("inkling_gets"), sums = counter("inkling_accumulates");
    MPI_T_pvar_handle writes = counter("inkling_file_writes"),
                      written = aggregate("inkling_file_write_bytes");
    MPI_Win win;
    MPI_File file;
    int *base, one = 1, got = 0;

    MPI_Win_allocate(64, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
    MPI_Win_lock_all(0, win);
    for (int i = 0; i < 5; i++)
        MPI_Put(&one, 1, MPI_INT, 1 - rank, i, 1, MPI_INT, win);
    MPI_Get(&got, 1, MPI_INT, 1 - rank, 8, 1, MPI_INT, win);
    MPI_Accumulate(&one, 1, MPI_INT, 1 - rank, 9, 1, MPI_INT, MPI_SUM, win);
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    CHECK_EQ(mpit_read(session, puts), 5);
    CHECK_EQ(mpit_read(session, bytes), 20);
    CHECK_EQ(mpit_read(session, gets), 1);
    CHECK_EQ(mpit_read(session, sums), 1);
    CHECK_EQ(MPI_File_open(MPI_COMM_SELF, rank ? "mpit_pvar.1" : "mpit_pvar.0",
                           MPI_MODE_CREATE | MPI_MODE_WRONLY | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                           &file),
             MPI_SUCCESS);
    MPI_File_write(file, buffer, 1000, MPI_CHAR, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
    CHECK_EQ(mpit_read(session, writes), 1);
    CHECK_EQ(mpit_read(session, written), 1000);
}

/* Rank 1 waits for 50 ms, or less, if it was kept from its core before. What its timer says; on rank 0 the same. */
static unsigned long long time_of_wait(MPI_T_pvar_handle time)
{
    unsigned long long waited = 0;

    MPI_Barrier(MPI_COMM_WORLD);
    MPI_T_pvar_reset(session, time);
    if (rank == 0) {
        usleep(50000);
        MPI_Send(buffer, 1, MPI_CHAR, 1, 7, MPI_COMM_WORLD);
    } else {
        MPI_Recv(buffer, 1, MPI_CHAR, MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        waited = mpit_read(session, time);
    }
    MPI_Bcast(&waited, 1, MPI_UNSIGNED_LONG_LONG, 1, MPI_COMM_WORLD);
    return waited;
}

/* The wait is seen by the timer that is started, and by no other. */
static void time_waits(void)
{
    MPI_T_pvar_handle time = mpit_start(session, "inkling_wait_time", MPI_T_PVAR_CLASS_TIMER, MPI_COMM_NULL);
    unsigned long long waited = 0;

    for (int i = 0; i < 20 && waited < 25000000; i++)
        waited = time_of_wait(time);
    CHECK(waited > 25000000);
    CHECK(waited < 10000000000);
    MPI_T_pvar_stop(session, time);
}

static void look_at_memory(void)
{
    MPI_T_pvar_handle used = mpit_start(session, "inkling_heap", MPI_T_PVAR_CLASS_LEVEL, MPI_COMM_NULL), part;
    MPI_T_pvar_handle size = mpit_start(session, "inkling_heap", MPI_T_PVAR_CLASS_SIZE, MPI_COMM_NULL);
    unsigned long long before = mpit_read(session, used);
    double share = -1;
    void *memory;
    int count;

    MPI_T_pvar_handle_alloc(session, mpit_pvar("inkling_heap", MPI_T_PVAR_CLASS_PERCENTAGE), NULL, &part,
                            &count);
    MPI_Alloc_mem(1 << 20, MPI_INFO_NULL, &memory);
    CHECK(mpit_read(session, used) >= before + (1 << 20));
    CHECK(mpit_read(session, size) >= mpit_read(session, used));
    CHECK_EQ(MPI_T_pvar_read(session, part, &share), MPI_SUCCESS);
    CHECK(share > 0 && share <= 1);
    MPI_Free_mem(memory);
    CHECK_EQ(mpit_read(session, used), before);
}

int main(int argc, char **argv)
{
    mpit_open();
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    CHECK_EQ(MPI_T_pvar_session_create(&session), MPI_SUCCESS);
    count_eager();
    MPI_Barrier(MPI_COMM_WORLD);
    count_large();
    MPI_Barrier(MPI_COMM_WORLD);
    watch_queues();
    MPI_Barrier(MPI_COMM_WORLD);
    count_apart();
    count_proofs();
    MPI_Barrier(MPI_COMM_WORLD);
    count_window_and_file();
    time_waits();
    look_at_memory();
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK_EQ(MPI_T_pvar_session_free(&session), MPI_SUCCESS);
    MPI_Finalize();
    CHECK_EQ(MPI_T_finalize(), MPI_SUCCESS);
    return 0;
}
