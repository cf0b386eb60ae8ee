/* ranks: 2 4 timeout: 120 also: INKLING_TRANSPORT=ofi also: INKLING_TRANSPORT=ofi,INKLING_WIN_RMA=true */
/* Puts and gets that the network carries out, where INKLING_WIN_RMA=true says so, or NETWORK that it is so by itself: just those of bytes in one run to ranks
 * that memory is not shared with, as the counters tell. Many at once, of all sizes, at odd places; and in turn under locks,
 * where each must be at the target before the next rank has the lock. */
#include "mpit.h"
#include "win.h"

#include <signal.h>
#include <stdio.h>
#include <unistd.h>

enum {
    ROOM = 1 << 20,
    MANY = 6000,
    TURNS = 300,
    LARGE = 3 * 256 * 1024 + 5
};

static MPI_T_pvar_session session;
static MPI_T_pvar_handle copies, requests;
static int *is_reached; /* by rank: through the network */
static unsigned long long expected, seen;

/* Which ranks the path is for. */
static void find_reached(void)
{
    const char *transport = getenv("INKLING_TRANSPORT"), *setting = getenv("INKLING_WIN_RMA");
    int is_on = getenv("NETWORK") || (setting && strcmp(setting, "true") == 0), neighbours = 0;
    int is_ofi = transport && strcmp(transport, "ofi") == 0;
    MPI_Comm host;
    int *there;

    is_reached = calloc((size_t)size, sizeof *is_reached);
    there = malloc((size_t)size * sizeof *there);
    CHECK(is_reached && there);
    OK(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host));
    OK(MPI_Comm_size(host, &neighbours));
    OK(MPI_Allgather(&rank, 1, MPI_INT, there, 1, MPI_INT, host));
    for (int r = 0; r < size; r++)
        is_reached[r] = is_on && r != rank;
    for (int i = 0; i < neighbours && !is_ofi; i++)
        is_reached[there[i]] = 0;
    OK(MPI_Comm_free(&host));
    free(there);
}

/* Whether rank 0 reaches rank 1 so, as all are told. */
static int reaches_next(void)
{
    int reached = is_reached[1];

    OK(MPI_Bcast(&reached, 1, MPI_INT, 0, MPI_COMM_WORLD));
    return reached;
}

/* One more operation with a rank went that way, if it is reached so. */
static void expect(int to)
{
    expected += (unsigned long long)is_reached[to];
}

static void check_count(void)
{
    CHECK_EQ(mpit_read(session, copies) - seen, expected);
    seen += expected;
    expected = 0;
}

static int length_of(int i)
{
    static const int lengths[] = {1, 8, 3, 64, 1000, 5, 4096, 8, 8, 17};

    return lengths[i % 10];
}

/* More puts than anybody has room for at once, and the same of gets: data of each rank in a stretch of its own. */
static void many_at_once(const struct window *w, int to)
{
    static unsigned char data[ROOM], got[ROOM];
    int at = 1;

    fill(data, ROOM, rank);
    memset(got, 0, ROOM);
    OK(MPI_Win_lock(MPI_LOCK_SHARED, to, 0, w->win));
    for (int i = 0; i < MANY && at + length_of(i) < ROOM; at += length_of(i++)) {
        OK(MPI_Put(data + at, length_of(i), MPI_BYTE, to, (MPI_Aint)rank * ROOM + at, length_of(i), MPI_BYTE,
                   w->win));
        expect(to);
    }
    OK(MPI_Win_flush(to, w->win));
    at = 1;
    for (int i = 0; i < MANY && at + length_of(i) < ROOM; at += length_of(i++)) {
        OK(MPI_Get(got + at, length_of(i), MPI_BYTE, to, (MPI_Aint)rank * ROOM + at, length_of(i), MPI_BYTE,
                   w->win));
        expect(to);
    }
    OK(MPI_Win_unlock(to, w->win));
    CHECK(memcmp(got + 1, data + 1, (size_t)at - 1) == 0);
    CHECK_EQ(got[0], 0);
}

/* Requests that complete one by one; the buffers are used again at once. */
static void by_requests(const struct window *w, int to)
{
    static unsigned char data[LARGE], got[LARGE];
    MPI_Aint at = (MPI_Aint)rank * ROOM + 7;
    MPI_Request r[2];

    OK(MPI_Win_lock_all(0, w->win));
    for (int bytes = 0; bytes <= LARGE; bytes = bytes * 5 + 1) {
        fill(data, (size_t)bytes, rank + bytes);
        OK(MPI_Rput(data, bytes, MPI_BYTE, to, at, bytes, MPI_BYTE, w->win, &r[0]));
        OK(MPI_Wait(&r[0], MPI_STATUS_IGNORE));
        memset(data, 0, (size_t)bytes);
        OK(MPI_Win_flush(to, w->win));
        OK(MPI_Rget(got, bytes, MPI_BYTE, to, at, bytes, MPI_BYTE, w->win, &r[0]));
        OK(MPI_Rget(data, bytes / 2, MPI_BYTE, to, at, bytes / 2, MPI_BYTE, w->win, &r[1]));
        OK(MPI_Waitall(2, r, MPI_STATUSES_IGNORE));
        CHECK_EQ(find_wrong(got, (size_t)bytes, rank + bytes), -1);
        CHECK_EQ(find_wrong(data, (size_t)bytes / 2, rank + bytes), -1);
        for (int i = 0; bytes && i < 2 + (bytes > 1); i++)
            expect(to);
    }
    OK(MPI_Win_unlock_all(w->win));
}

/* All ranks count up one word of the last, in turn: a put that came after the unlock would be lost. */
static void in_turn(const struct window *w)
{
    MPI_Aint at = (MPI_Aint)size * ROOM + 3;
    int to = size - 1;
    long word;

    for (int i = 0; i < TURNS; i++) {
        OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, to, 0, w->win));
        OK(MPI_Get(&word, (int)sizeof word, MPI_BYTE, to, at, (int)sizeof word, MPI_BYTE, w->win));
        OK(MPI_Win_flush(to, w->win));
        word++;
        OK(MPI_Put(&word, (int)sizeof word, MPI_BYTE, to, at, (int)sizeof word, MPI_BYTE, w->win));
        OK(MPI_Win_unlock(to, w->win));
        expect(to);
        expect(to);
    }
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Win_lock(MPI_LOCK_SHARED, to, 0, w->win));
    OK(MPI_Get(&word, (int)sizeof word, MPI_BYTE, to, at, (int)sizeof word, MPI_BYTE, w->win));
    OK(MPI_Win_unlock(to, w->win));
    expect(to);
    CHECK_EQ(word, (long)size * TURNS);
}

/* A message tells the target that a flushed put is there; then nothing but its own loads. */
static void put_and_tell(const struct window *w)
{
    MPI_Aint at = (MPI_Aint)rank * ROOM + 11;
    int to = (rank + 1) % size, from = (rank + size - 1) % size, said;

    OK(MPI_Win_lock_all(0, w->win));
    for (int i = 1; i <= TURNS; i++) {
        OK(MPI_Put(&i, (int)sizeof i, MPI_BYTE, to, at, (int)sizeof i, MPI_BYTE, w->win));
        expect(to);
        OK(MPI_Win_flush(to, w->win));
        OK(MPI_Sendrecv(&i, 1, MPI_INT, to, 1, &said, 1, MPI_INT, from, 1, MPI_COMM_WORLD,
                        MPI_STATUS_IGNORE));
        OK(MPI_Win_sync(w->win));
        memcpy(&said, w->base + (size_t)from * ROOM + 11, sizeof said);
        CHECK_EQ(said, i);
        OK(MPI_Barrier(MPI_COMM_WORLD)); /* nobody puts the next before it is read */
    }
    OK(MPI_Win_unlock_all(w->win));
}

/* Both sides with gaps, in runs of other lengths; what is between them stays. */
static void with_gaps(const struct window *w, int to, MPI_Datatype here, MPI_Datatype there,
                      int is_reached_so)
{
    unsigned long long before = mpit_read(session, requests);
    MPI_Aint at = (MPI_Aint)rank * ROOM + 5;
    static int data[ROOM / 4], got[ROOM / 4], raw[ROOM / 4];
    int ints, bytes;

    OK(MPI_Type_size(here, &bytes));
    ints = bytes / (int)sizeof(int);
    for (int i = 0; i < 4 * ints; i++)
        data[i] = rank * 1000000 + i;
    memset(got, 0, (size_t)(4 * bytes));
    OK(MPI_Win_lock(MPI_LOCK_SHARED, to, 0, w->win));
    OK(MPI_Put(got, 4 * bytes, MPI_BYTE, to, at, 4 * bytes, MPI_BYTE, w->win));
    OK(MPI_Win_flush(to, w->win));
    OK(MPI_Put(data, 1, here, to, at, 1, there, w->win));
    OK(MPI_Win_flush(to, w->win));
    OK(MPI_Get(got, 1, here, to, at, 1, there, w->win));
    OK(MPI_Get(raw, bytes + bytes / 2, MPI_BYTE, to, at, bytes + bytes / 2, MPI_BYTE, w->win));
    OK(MPI_Win_unlock(to, w->win));
    for (int i = 0; i < 4 * ints; i++)
        CHECK(got[i] == (i % 2 || i >= 2 * ints ? 0 : data[i]));
    for (int i = 0; i < ints + ints / 2; i++)
        CHECK_EQ(raw[i], i % 3 == 2 ? 0 : data[2 * (i - i / 3)]);
    for (int i = 0; i < 2 + 2 * is_reached_so; i++)
        expect(to);
    if (is_reached[to])
        CHECK_EQ(mpit_read(session, requests) - before, is_reached_so ? 0 : 2);
}

/* What has few runs goes there, what has many and accumulates do not. */
static void other_ways(const struct window *w, int to)
{
    unsigned long long before;
    MPI_Datatype single, pair;
    int data[4] = {1, 2, 3, 4};

    for (int runs = 4; runs <= 64; runs *= 4) {
        OK(MPI_Type_vector(runs, 1, 2, MPI_INT, &single));
        OK(MPI_Type_vector(runs / 2, 2, 3, MPI_INT, &pair));
        OK(MPI_Type_commit(&single));
        OK(MPI_Type_commit(&pair));
        with_gaps(w, to, single, pair, runs <= 16);
        OK(MPI_Type_free(&single));
        OK(MPI_Type_free(&pair));
    }
    before = mpit_read(session, requests);
    OK(MPI_Win_lock(MPI_LOCK_SHARED, to, 0, w->win));
    OK(MPI_Accumulate(data, 4, MPI_INT, to, (MPI_Aint)rank * ROOM, 4, MPI_INT, MPI_REPLACE, w->win));
    OK(MPI_Win_unlock(to, w->win));
    if (is_reached[to])
        CHECK_EQ(mpit_read(session, requests) - before, 1);
}

static char state_of(int pid)
{
    char path[64], state = '?';
    FILE *file;

    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    file = fopen(path, "r");
    CHECK(file && fscanf(file, "%*d (%*[^)]) %c", &state) == 1);
    fclose(file);
    return state;
}

/* A put to a process that is stopped is not complete before it goes on, since tcp needs it. The hosts of tests see each
 * other's processes. */
static void to_who_is_stopped(const struct window *w)
{
    double end;
    int pid = (int)getpid(), flag = 0;
    MPI_Request r;

    if (rank == 1) {
        OK(MPI_Send(&pid, 1, MPI_INT, 0, 2, MPI_COMM_WORLD));
        raise(SIGSTOP);
    }
    if (rank != 0)
        return;
    OK(MPI_Win_lock(MPI_LOCK_SHARED, 1, MPI_MODE_NOCHECK, w->win));
    OK(MPI_Recv(&pid, 1, MPI_INT, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    while (state_of(pid) != 'T')
        usleep(1000);
    end = MPI_Wtime() + 0.3;
    OK(MPI_Rput(&pid, (int)sizeof pid, MPI_BYTE, 1, 13, (int)sizeof pid, MPI_BYTE, w->win, &r));
    while (MPI_Wtime() < end && !flag)
        OK(MPI_Test(&r, &flag, MPI_STATUS_IGNORE));
    CHECK_EQ(kill(pid, SIGCONT), 0);
    CHECK_EQ(flag, 0);
    OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
    OK(MPI_Win_unlock(1, w->win));
    expect(1);
}

static void run_window(enum way way)
{
    struct window w;

    if (!window_open(&w, way, (MPI_Aint)(size + 1) * ROOM, 1, MPI_INFO_NULL, MPI_COMM_WORLD))
        return;
    for (int by = 0; by < size; by++) {
        many_at_once(&w, (rank + by) % size);
        by_requests(&w, (rank + by) % size);
        other_ways(&w, (rank + by) % size);
        check_count();
    }
    OK(MPI_Barrier(MPI_COMM_WORLD));
    in_turn(&w);
    put_and_tell(&w);
    if (reaches_next())
        to_who_is_stopped(&w);
    check_count();
    window_close(&w);
}

/* One rank has no memory; the others use the path all the same. */
static void run_uneven(void)
{
    MPI_Aint bytes = rank == 0 ? 0 : 8;
    unsigned char data[8], got[8] = {0}, *base;
    int to = rank == 1 ? size - 1 : 1;
    MPI_Win win;

    OK(MPI_Win_allocate(bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
    fill(data, sizeof data, rank);
    OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, to, 0, win));
    OK(MPI_Put(data, 8, MPI_BYTE, to, 0, 8, MPI_BYTE, win));
    OK(MPI_Win_flush(to, win));
    OK(MPI_Get(got, 8, MPI_BYTE, to, 0, 8, MPI_BYTE, win));
    OK(MPI_Win_unlock(to, win));
    expect(to);
    expect(to);
    CHECK(memcmp(data, got, sizeof data) == 0);
    check_count();
    OK(MPI_Win_free(&win));
}

int main(int argc, char **argv)
{
    set_up(&argc, &argv);
    mpit_open();
    CHECK_EQ(MPI_T_pvar_session_create(&session), MPI_SUCCESS);
    copies = mpit_start(session, "inkling_rma_network_copies", MPI_T_PVAR_CLASS_COUNTER, MPI_COMM_WORLD);
    requests = mpit_start(session, "inkling_rma_requests", MPI_T_PVAR_CLASS_COUNTER, MPI_COMM_WORLD);
    find_reached();
    run_window(CREATED);
    run_window(ALLOCATED);
    run_uneven();
    free(is_reached);
    CHECK_EQ(MPI_T_pvar_session_free(&session), MPI_SUCCESS);
    CHECK_EQ(MPI_T_finalize(), MPI_SUCCESS);
    OK(MPI_Finalize());
    return 0;
}
