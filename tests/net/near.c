/* near: in a job of several hosts, communicators whose ranks share a host use its memory: mailboxes, single copy, slots of persistent
 * collectives, control blocks of windows, buffers of files, and with threads their lanes. The way taken is counted (MPI_T). Linked with the library's
 * objects, since it looks at lanes. */
#include "comm/comm.h"
#include "mpi/ways.h"

#include <mpi.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    CALLS = 10,
    LONG = 200000 /* ints of a large vector */
};

static unsigned long long before[WAYS];

static void begin(void)
{
    for (int way = 0; way < WAYS; way++)
        before[way] = ways_count((enum way)way);
}

/* All calls since then went this way. */
static void check_way(enum way way, int calls)
{
    for (int w = 0; w < WAYS; w++)
        CHECK_EQ(ways_count((enum way)w) - before[w], (unsigned long long)(w == (int)way ? calls : 0));
}

/* Mailboxes are made once some calls have shown a use for them. */
static void settle(MPI_Comm comm)
{
    for (int i = 0; i < CALLS; i++)
        CHECK_EQ(MPI_Barrier(comm), MPI_SUCCESS);
}

static void call_small(MPI_Comm comm, int rank, int size)
{
    MPI_Request request;
    int sum = 0, value;

    for (int i = 0; i < CALLS; i++) {
        value = i % size == rank ? i : -1;
        CHECK_EQ(MPI_Bcast(&value, 1, MPI_INT, i % size, comm), MPI_SUCCESS);
        CHECK_EQ(value, i);
        CHECK_EQ(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm), MPI_SUCCESS);
        CHECK_EQ(sum, size * (size - 1) / 2);
        sum = 0;
        CHECK_EQ(MPI_Iallreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm, &request), MPI_SUCCESS);
        CHECK_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
        CHECK_EQ(sum, size * (size - 1) / 2);
    }
}

static void start_persistent(MPI_Comm comm, int rank, int size)
{
    MPI_Request request;
    int sum;

    CHECK_EQ(MPI_Allreduce_init(&rank, &sum, 1, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL, &request),
             MPI_SUCCESS);
    for (int i = 0; i < CALLS; i++) {
        sum = 0;
        CHECK_EQ(MPI_Start(&request), MPI_SUCCESS);
        CHECK_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
        CHECK_EQ(sum, size * (size - 1) / 2);
    }
    CHECK_EQ(MPI_Request_free(&request), MPI_SUCCESS);
}

static void call_large(MPI_Comm comm, int rank, int size)
{
    int *in = malloc(LONG * sizeof *in), *out = malloc(LONG * sizeof *out);

    CHECK(in && out);
    for (int i = 0; i < LONG; i++)
        in[i] = rank + i;
    for (int n = 0; n < CALLS; n++) {
        CHECK_EQ(MPI_Allreduce(in, out, LONG, MPI_INT, MPI_SUM, comm), MPI_SUCCESS);
        for (int i = 0; i < LONG; i++)
            CHECK_EQ(out[i], size * i + size * (size - 1) / 2);
    }
    free(in);
    free(out);
}

/* Every rank adds to all, and locks each, without messages: the network is not asked. */
static void use_window(MPI_Comm comm, int rank, int size)
{
    MPI_T_pvar_handle asked =
        mpit_start(ways_session, "inkling_rma_requests", MPI_T_PVAR_CLASS_COUNTER, MPI_COMM_NULL);
    unsigned long long requests = mpit_read(ways_session, asked);
    int one = 1, *mine;
    MPI_Win win;

    CHECK_EQ(MPI_Win_allocate(sizeof *mine, sizeof *mine, MPI_INFO_NULL, comm, &mine, &win), MPI_SUCCESS);
    *mine = 0;
    CHECK_EQ(MPI_Barrier(comm), MPI_SUCCESS);
    for (int r = 0; r < size; r++) {
        CHECK_EQ(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, r, 0, win), MPI_SUCCESS);
        CHECK_EQ(MPI_Accumulate(&one, 1, MPI_INT, r, 0, 1, MPI_INT, MPI_SUM, win), MPI_SUCCESS);
        CHECK_EQ(MPI_Win_unlock(r, win), MPI_SUCCESS);
    }
    CHECK_EQ(MPI_Barrier(comm), MPI_SUCCESS);
    CHECK_EQ(MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win), MPI_SUCCESS);
    CHECK_EQ(*mine, size);
    CHECK_EQ(MPI_Win_unlock(rank, win), MPI_SUCCESS);
    CHECK_EQ(MPI_Win_free(&win), MPI_SUCCESS);
    CHECK_EQ(mpit_read(ways_session, asked), requests);
}

/* A new file for all ranks. */
static MPI_File open_file(MPI_Comm comm, int rank)
{
    char name[] = "/tmp/inkling-near-XXXXXX";
    MPI_Info buffers;
    MPI_File file;

    if (rank == 0)
        CHECK_EQ(close(mkstemp(name)), 0);
    CHECK_EQ(MPI_Bcast(name, sizeof name, MPI_CHAR, 0, comm), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_create(&buffers), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_set(buffers, "romio_cb_write", "enable"), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_set(buffers, "romio_cb_read", "enable"), MPI_SUCCESS);
    CHECK_EQ(MPI_File_open(comm, name, MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, buffers, &file),
             MPI_SUCCESS);
    CHECK_EQ(MPI_Info_free(&buffers), MPI_SUCCESS);
    return file;
}

/* Every rank has each size-th int of a file, which goes through buffers that all of them map: no message carries a part. */
static void use_file(MPI_Comm comm, int rank, int size)
{
    MPI_T_pvar_handle buffered =
        mpit_start(ways_session, "inkling_file_buffered_bytes", MPI_T_PVAR_CLASS_AGGREGATE, MPI_COMM_NULL);
    MPI_T_pvar_handle messages =
        mpit_start(ways_session, "inkling_file_messages", MPI_T_PVAR_CLASS_COUNTER, MPI_COMM_NULL);
    unsigned long long bytes = mpit_read(ways_session, buffered), sent = mpit_read(ways_session, messages);
    MPI_File file = open_file(comm, rank);
    int *mine = malloc(LONG * sizeof *mine);
    MPI_Datatype every;

    CHECK(mine != NULL);
    CHECK_EQ(MPI_Type_create_resized(MPI_INT, 0, size * (MPI_Aint)sizeof *mine, &every), MPI_SUCCESS);
    CHECK_EQ(MPI_Type_commit(&every), MPI_SUCCESS);
    CHECK_EQ(
        MPI_File_set_view(file, rank * (MPI_Offset)sizeof *mine, MPI_INT, every, "native", MPI_INFO_NULL),
        MPI_SUCCESS);
    for (int i = 0; i < LONG; i++)
        mine[i] = i * size + rank;
    CHECK_EQ(MPI_File_write_at_all(file, 0, mine, LONG, MPI_INT, MPI_STATUS_IGNORE), MPI_SUCCESS);
    memset(mine, 0, LONG * sizeof *mine);
    CHECK_EQ(MPI_File_read_at_all(file, 0, mine, LONG, MPI_INT, MPI_STATUS_IGNORE), MPI_SUCCESS);
    for (int i = 0; i < LONG; i++)
        CHECK_EQ(mine[i], i * size + rank);
    CHECK_EQ(mpit_read(ways_session, buffered) - bytes, 2 * LONG * sizeof *mine);
    CHECK_EQ(mpit_read(ways_session, messages), sent);
    CHECK_EQ(MPI_File_close(&file), MPI_SUCCESS);
    CHECK_EQ(MPI_Type_free(&every), MPI_SUCCESS);
    free(mine);
}

static void use_near(MPI_Comm comm)
{
    int rank, size;

    CHECK_EQ(MPI_Comm_rank(comm, &rank), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_size(comm, &size), MPI_SUCCESS);
    settle(comm);
    begin();
    call_small(comm, rank, size);
    check_way(WAY_SHARED, 3 * CALLS);
    begin();
    start_persistent(comm, rank, size);
    check_way(WAY_SHARED, 1);
    begin();
    call_large(comm, rank, size);
    check_way(WAY_COPIED, CALLS);
    use_window(comm, rank, size);
    use_file(comm, rank, size);
}

/* Copies of it take different lanes, and two ranks that are given the promise spread their messages. */
static void use_lanes(MPI_Comm near, MPI_Comm far)
{
    MPI_Comm copy[NET_LANES], spread;
    MPI_Info promise;
    int lanes = 0;

    for (int i = 0; i < NET_LANES; i++) {
        CHECK_EQ(MPI_Comm_dup(near, &copy[i]), MPI_SUCCESS);
        lanes |= 1 << comm_find(copy[i])->lane;
    }
    CHECK_EQ(lanes, (1 << NET_LANES) - 1);
    for (int i = 0; i < NET_LANES; i++) {
        use_near(copy[i]);
        CHECK_EQ(MPI_Comm_free(&copy[i]), MPI_SUCCESS);
    }
    CHECK_EQ(MPI_Info_create(&promise), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_set(promise, "mpi_assert_allow_overtaking", "true"), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_dup_with_info(near, promise, &spread), MPI_SUCCESS);
    CHECK_EQ(comm_find(spread)->spread, NET_LANES);
    use_near(spread);
    CHECK_EQ(MPI_Comm_free(&spread), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_dup_with_info(far, promise, &spread), MPI_SUCCESS);
    CHECK_EQ(comm_find(spread)->spread, 1);
    CHECK_EQ(comm_find(spread)->lane, 0);
    CHECK_EQ(MPI_Comm_free(&spread), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_free(&promise), MPI_SUCCESS);
}

int main(int argc, char **argv)
{
    int level = argc > 1 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE;
    MPI_Comm host, again, across;
    int rank, near, provided;

    CHECK_EQ(MPI_Init_thread(&argc, &argv, level, &provided), MPI_SUCCESS);
    CHECK_EQ(provided, level);
    CHECK_EQ(MPI_Comm_rank(MPI_COMM_WORLD, &rank), MPI_SUCCESS);
    ways_open();
    CHECK_EQ(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_rank(host, &near), MPI_SUCCESS);
    use_near(host);
    CHECK_EQ(MPI_Comm_split(MPI_COMM_WORLD, rank - near, -rank, &again), MPI_SUCCESS);
    use_near(again);
    CHECK_EQ(MPI_Comm_split(MPI_COMM_WORLD, near, rank, &across), MPI_SUCCESS);
    settle(across);
    begin();
    CHECK_EQ(MPI_Barrier(across), MPI_SUCCESS);
    check_way(WAY_MESSAGES, 1);
    if (level == MPI_THREAD_MULTIPLE)
        use_lanes(host, across);
    CHECK_EQ(MPI_Comm_free(&host), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_free(&again), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_free(&across), MPI_SUCCESS);
    ways_close();
    CHECK_EQ(MPI_Finalize(), MPI_SUCCESS);
    return 0;
}
