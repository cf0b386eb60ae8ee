/* ranks: 3 env: INKLING_CMA=false */
/* What an origin holds back or has on its way, where the target takes part: a flush of one rank leaves alone what is held
 * for another, and a flush of all ends only when the last rank has everything. */
#include "win.h"

enum {
    LARGE = 8 << 20,
    ORIGIN = 2
};

static int seen(const struct window *w)
{
    int value;

    OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, w->win));
    memcpy(&value, w->base, sizeof value);
    memset(w->base, 0, sizeof value);
    OK(MPI_Win_unlock(rank, w->win));
    return value;
}

/* The second flush finds what was put, whichever rank has it and whichever was flushed before. */
static void flush_of_another(const struct window *w, int put, int flushed)
{
    const int value = 7 + put;

    OK(MPI_Barrier(MPI_COMM_WORLD));
    if (rank == ORIGIN) {
        OK(MPI_Win_lock_all(0, w->win));
        OK(MPI_Put(&value, 1, MPI_INT, put, window_at(w, put, 0), 1, MPI_INT, w->win));
        OK(MPI_Win_flush(flushed, w->win));
        OK(MPI_Win_flush(put, w->win));
        OK(MPI_Win_unlock_all(w->win));
    }
    OK(MPI_Barrier(MPI_COMM_WORLD));
    CHECK_EQ(seen(w), rank == put ? value : 0);
}

/* Each put takes the place of the one that is held back for another rank. */
static void turns(const struct window *w)
{
    const int value = 5;

    OK(MPI_Barrier(MPI_COMM_WORLD));
    if (rank == ORIGIN) {
        OK(MPI_Win_lock_all(0, w->win));
        for (int i = 0; i < 6; i++)
            OK(MPI_Accumulate(&value, 1, MPI_INT, i % 2, window_at(w, i % 2, 0), 1, MPI_INT, MPI_SUM,
                              w->win));
        OK(MPI_Win_unlock_all(w->win));
    }
    OK(MPI_Barrier(MPI_COMM_WORLD));
    CHECK_EQ(seen(w), rank == ORIGIN ? 0 : 3 * value);
}

/* Who hears that all was flushed finds it there, also the last rank. */
static void flush_of_all(const struct window *w, unsigned char *data)
{
    const int origin = 0, last = size - 1;
    int token = 0;

    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Win_lock_all(0, w->win));
    if (rank == origin) {
        OK(MPI_Put(data, LARGE, MPI_BYTE, last, window_at(w, last, 0), LARGE, MPI_BYTE, w->win));
        OK(MPI_Win_flush_all(w->win));
        OK(MPI_Send(&token, 1, MPI_INT, last, 0, MPI_COMM_WORLD));
    } else if (rank == last) {
        OK(MPI_Recv(&token, 1, MPI_INT, origin, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        OK(MPI_Win_sync(w->win));
        CHECK_EQ(find_wrong(w->base, LARGE, origin), -1);
    }
    OK(MPI_Win_unlock_all(w->win));
}

int main(int argc, char **argv)
{
    unsigned char *data = malloc(LARGE);
    struct window w;

    CHECK(data != NULL);
    set_up(&argc, &argv);
    fill(data, LARGE, 0);
    CHECK(window_open(&w, CREATED, LARGE, (int)sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD));
    flush_of_another(&w, 0, 1);
    flush_of_another(&w, 1, 0);
    turns(&w);
    flush_of_all(&w, data);
    window_close(&w);
    free(data);
    return MPI_Finalize();
}
