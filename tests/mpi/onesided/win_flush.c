/* ranks: 1 2 4 8 timeout: 120 also: INKLING_CMA=false also: INKLING_TRANSPORT=ofi */
/* The flush family and MPI_Win_sync in passive target epochs: after a flush everything is at the target, after
 * a local one the buffers may be used again; order between flushed operations; targets that stay out of MPI. */
#include "outside.h"
#include "win.h"

enum {
    ITEMS = 32,
    LARGE = 200000
};

static void flush(int how, int target, MPI_Win win)
{
    if (how == 0)
        OK(MPI_Win_flush(target, win));
    else
        OK(MPI_Win_flush_all(win));
}

/* Put, flush, get: the same epoch sees it, and a message's receiver as well. */
static void flushed_puts_are_there(const struct window *w, int how)
{
    int to = (rank + 1) % size, from = (rank + size - 1) % size, token = 0;

    OK(MPI_Win_lock_all(0, w->win));
    for (int round = 0; round < 100; round++) {
        int value[ITEMS], got[ITEMS];

        for (int i = 0; i < ITEMS; i++) {
            value[i] = 10000 * round + 100 * i + rank;
            OK(MPI_Put(&value[i], 1, MPI_INT, to, window_at(w, to, i), 1, MPI_INT, w->win));
        }
        flush(how, to, w->win);
        OK(MPI_Get(got, ITEMS, MPI_INT, to, window_at(w, to, 0), ITEMS, MPI_INT, w->win));
        OK(how ? MPI_Win_flush_local_all(w->win) : MPI_Win_flush_local(to, w->win));
        for (int i = 0; i < ITEMS; i++)
            CHECK_EQ(got[i], value[i]);
        OK(MPI_Sendrecv_replace(&token, 1, MPI_INT, to, 0, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        OK(MPI_Win_sync(w->win));
        for (int i = 0; i < ITEMS; i++)
            CHECK_EQ(((volatile int *)(void *)w->base)[i], 10000 * round + 100 * i + from);
        OK(MPI_Sendrecv_replace(&token, 1, MPI_INT, from, 0, to, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    }
    OK(MPI_Win_unlock_all(w->win));
}

/* A buffer is overwritten after each local flush: every rank's bytes arrive as they were. */
static void buffers_are_free(const struct window *w, int how)
{
    unsigned char *data = malloc(LARGE);

    CHECK(data != NULL);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Win_lock_all(0, w->win));
    for (int by = 0; by < size; by++) {
        int to = (rank + by) % size;
        MPI_Aint at = window_at(w, to, (MPI_Aint)rank * (LARGE / 4));

        fill(data, LARGE, rank + by);
        OK(MPI_Put(data, LARGE, MPI_BYTE, to, at, LARGE, MPI_BYTE, w->win));
        OK(how ? MPI_Win_flush_local_all(w->win) : MPI_Win_flush_local(to, w->win));
        memset(data, 0xee, LARGE);
    }
    OK(MPI_Win_unlock_all(w->win));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, w->win));
    for (int r = 0; r < size; r++)
        CHECK_EQ(find_wrong(w->base + (size_t)r * LARGE, LARGE, r + (rank + size - r) % size), -1);
    OK(MPI_Win_unlock(rank, w->win));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    free(data);
}

/* Unified memory: a put that is flushed appears to a target that only looks. No call of the target is needed
 * to see it, once it has been flushed. */
static void polling_target(const struct window *w)
{
    volatile int *memory = (volatile int *)(void *)w->base;
    int value = 1, *model, flag;

    OK(MPI_Win_get_attr(w->win, MPI_WIN_MODEL, &model, &flag));
    CHECK(flag);
    OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, w->win));
    memory[0] = 0;
    OK(MPI_Win_unlock(rank, w->win));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    if (rank == 0 && size > 1) {
        OK(MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, w->win));
        OK(MPI_Put(&value, 1, MPI_INT, 1, window_at(w, 1, 0), 1, MPI_INT, w->win));
        OK(MPI_Win_unlock(1, w->win));
    } else if (rank == 1 && *model == MPI_WIN_UNIFIED) {
        while (memory[0] == 0) { /* an MPI call in it, as not every window works without */
            OK(MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, w->win));
            OK(MPI_Win_sync(w->win));
            OK(MPI_Win_unlock(rank, w->win));
        }
    }
    OK(MPI_Barrier(MPI_COMM_WORLD));
}

/* On one host memory that the library allocated needs nobody: rank 1 is outside of MPI, and is called back
 * when all kinds of operations on its memory have been flushed. */
static void target_is_outside(const struct window *w, pid_t other)
{
    int value = 5, got = 0, old = -1, zero = 0, six = 6;

    OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, w->win));
    memset(w->base, 0, 64);
    OK(MPI_Win_unlock(rank, w->win));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    if (rank == 1)
        CHECK(outside_wait(30));
    if (rank == 0 && size > 1) {
        OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, w->win));
        OK(MPI_Put(&value, 1, MPI_INT, 1, window_at(w, 1, 0), 1, MPI_INT, w->win));
        OK(MPI_Win_flush(1, w->win));
        OK(MPI_Get(&got, 1, MPI_INT, 1, window_at(w, 1, 0), 1, MPI_INT, w->win));
        OK(MPI_Accumulate(&value, 1, MPI_INT, 1, window_at(w, 1, 1), 1, MPI_INT, MPI_SUM, w->win));
        OK(MPI_Win_flush(1, w->win));
        CHECK_EQ(got, 5);
        OK(MPI_Fetch_and_op(&value, &old, MPI_INT, 1, window_at(w, 1, 1), MPI_SUM, w->win));
        OK(MPI_Compare_and_swap(&six, &zero, &got, MPI_INT, 1, window_at(w, 1, 2), w->win));
        OK(MPI_Win_unlock(1, w->win));
        CHECK_EQ(old, 5);
        CHECK_EQ(got, 0);
        outside_call(other);
    }
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, w->win));
    if (rank == 1) {
        int *memory = (int *)(void *)w->base;

        CHECK(memory[0] == 5 && memory[1] == 10 && memory[2] == 6);
    }
    OK(MPI_Win_unlock(rank, w->win));
    OK(MPI_Barrier(MPI_COMM_WORLD));
}

/* Flushes with nothing to flush, and for a rank to which nothing went. */
static void nothing_to_flush(const struct window *w)
{
    OK(MPI_Win_lock_all(0, w->win));
    for (int r = 0; r < size; r++) {
        OK(MPI_Win_flush(r, w->win));
        OK(MPI_Win_flush_local(r, w->win));
    }
    OK(MPI_Win_flush_all(w->win));
    OK(MPI_Win_flush_local_all(w->win));
    OK(MPI_Win_sync(w->win));
    OK(MPI_Win_unlock_all(w->win));
    OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, w->win));
    OK(MPI_Win_flush(rank, w->win));
    OK(MPI_Win_flush_all(w->win));
    OK(MPI_Win_unlock(rank, w->win));
    OK(MPI_Barrier(MPI_COMM_WORLD));
}

static int needs_nobody(enum way way)
{
    const char *transport = getenv("INKLING_TRANSPORT");

    return way != CREATED && way != DYNAMIC && !(transport && strcmp(transport, "ofi") == 0);
}

int main(int argc, char **argv)
{
    pid_t other;

    outside_init();
    set_up(&argc, &argv);
    other = size > 1 ? outside_introduce(rank) : 0;
    for (enum way way = 0; way < WAYS; way++) {
        struct window w;

        if (!window_open(&w, way, (MPI_Aint)size * LARGE, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD))
            continue;
        for (int how = 0; how < 2; how++) {
            flushed_puts_are_there(&w, how);
            buffers_are_free(&w, how);
        }
        polling_target(&w);
        nothing_to_flush(&w);
        if (needs_nobody(way) && MPI_VERSION >= 5)
            target_is_outside(&w, other);
        window_close(&w);
    }
    MPI_Finalize();
    return 0;
}
