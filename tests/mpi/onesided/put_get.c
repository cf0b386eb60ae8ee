/* ranks: 1 2 4 also: INKLING_CMA=false also: INKLING_TRANSPORT=ofi */
/* What is put into and got from a window, made in every way, and nothing beside it: sizes from 0 on, at
 * displacements that units scale, between all pairs of ranks, in each synchronisation. */
#include "win.h"

enum {
    UNIT = 4,
    LARGEST = 300000, /* bytes, of UNIT */
    ROOM = LARGEST + 64
};

static const int lengths[] = {0, 1, 4, 7, 8, 64, 1000, 8192, 70000, LARGEST};
enum {
    LENGTHS = sizeof lengths / sizeof *lengths
};

enum sync {
    FENCE,
    PSCW,
    LOCK,
    LOCK_ALL,
    SYNCS
};

static void open_epoch(const struct window *w, enum sync sync, int target, MPI_Group all)
{
    if (sync == FENCE)
        OK(MPI_Win_fence(0, w->win));
    if (sync == PSCW) {
        OK(MPI_Win_post(all, 0, w->win));
        OK(MPI_Win_start(all, 0, w->win));
    }
    if (sync == LOCK)
        OK(MPI_Win_lock(MPI_LOCK_SHARED, target, 0, w->win));
    if (sync == LOCK_ALL)
        OK(MPI_Win_lock_all(0, w->win));
}

/* After it everything is complete at all targets. */
static void close_epoch(const struct window *w, enum sync sync, int target)
{
    if (sync == FENCE)
        OK(MPI_Win_fence(0, w->win));
    if (sync == PSCW) {
        OK(MPI_Win_complete(w->win));
        OK(MPI_Win_wait(w->win));
    }
    if (sync == LOCK)
        OK(MPI_Win_unlock(target, w->win));
    if (sync == LOCK_ALL)
        OK(MPI_Win_unlock_all(w->win));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    if (sync >= LOCK)
        OK(MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, w->win)); /* the memory is this rank's to read */
}

static void end_reading(const struct window *w, enum sync sync)
{
    if (sync >= LOCK)
        OK(MPI_Win_unlock(rank, w->win));
    OK(MPI_Barrier(MPI_COMM_WORLD));
}

static void check_only(const unsigned char *at, size_t bytes, size_t room, int of)
{
    CHECK_EQ(find_wrong(at, bytes, of), -1);
    for (size_t i = bytes; i < room; i++)
        CHECK_EQ(at[i], 0);
}

/* Everybody puts into the memory of the rank `by` further on, and then gets it back. */
static void exchange(const struct window *w, enum sync sync, int by, size_t bytes, MPI_Group all)
{
    int to = (rank + by) % size, from = (rank + size - by) % size;
    unsigned char *data = malloc(ROOM), *got = calloc(1, ROOM);

    CHECK(data && got);
    fill(data, bytes, rank);
    open_epoch(w, sync, to, all);
    OK(MPI_Put(data, (int)bytes, MPI_BYTE, to, window_at(w, to, 2), (int)bytes, MPI_BYTE, w->win));
    close_epoch(w, sync, to);
    for (size_t i = 0; i < (size_t)2 * UNIT; i++)
        CHECK_EQ(w->base[i], 0);
    check_only(w->base + (size_t)2 * UNIT, bytes, bytes + 16, from);
    end_reading(w, sync);

    open_epoch(w, sync, to, all);
    OK(MPI_Get(got, (int)bytes, MPI_BYTE, to, window_at(w, to, 2), (int)bytes, MPI_BYTE, w->win));
    close_epoch(w, sync, to);
    check_only(got, bytes, ROOM, rank);
    memset(w->base, 0, bytes + (size_t)2 * UNIT);
    end_reading(w, sync);
    free(data);
    free(got);
}

int main(int argc, char **argv)
{
    MPI_Group all;

    set_up(&argc, &argv);
    OK(MPI_Comm_group(MPI_COMM_WORLD, &all));
    for (enum way way = 0; way < WAYS; way++) {
        struct window w;

        if (!window_open(&w, way, ROOM, UNIT, MPI_INFO_NULL, MPI_COMM_WORLD))
            continue;
        for (enum sync sync = 0; sync < SYNCS; sync++)
            for (int i = 0; i < LENGTHS; i++)
                exchange(&w, sync, i % size, (size_t)lengths[i], all);
        window_close(&w);
    }
    OK(MPI_Group_free(&all));
    MPI_Finalize();
    return 0;
}
