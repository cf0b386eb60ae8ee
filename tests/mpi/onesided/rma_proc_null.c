/* ranks: 1 2 4 also: INKLING_TRANSPORT=ofi */
/* MPI_PROC_NULL as the target of every communication call, in every epoch: nothing happens to any buffer, R
 * forms complete at once, and the epochs still have to be closed. Also large windows: the _c forms, with
 * displacements and counts that an int does not hold where memory allows. */
#include "win.h"

static int one = 1, two = 2, result = 77;

static void call_all(MPI_Win win)
{
    OK(MPI_Put(&one, 1, MPI_INT, MPI_PROC_NULL, 12345678, 1, MPI_INT, win));
    OK(MPI_Get(&result, 1, MPI_INT, MPI_PROC_NULL, 12345678, 1, MPI_INT, win));
    OK(MPI_Accumulate(&one, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, MPI_SUM, win));
    OK(MPI_Get_accumulate(&one, 1, MPI_INT, &result, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, MPI_SUM, win));
    OK(MPI_Get_accumulate(NULL, 0, MPI_INT, &result, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, MPI_NO_OP,
                          win));
    OK(MPI_Fetch_and_op(&one, &result, MPI_INT, MPI_PROC_NULL, 0, MPI_REPLACE, win));
    OK(MPI_Compare_and_swap(&one, &two, &result, MPI_INT, MPI_PROC_NULL, 0, win));
}

static void call_requests(MPI_Win win)
{
    MPI_Request r[4];
    int flag = 0;

    OK(MPI_Rput(&one, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, win, &r[0]));
    OK(MPI_Rget(&result, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, win, &r[1]));
    OK(MPI_Raccumulate(&one, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, MPI_SUM, win, &r[2]));
    OK(MPI_Rget_accumulate(&one, 1, MPI_INT, &result, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, MPI_SUM, win,
                           &r[3]));
    OK(MPI_Wait(&r[0], MPI_STATUS_IGNORE));
    OK(MPI_Test(&r[1], &flag, MPI_STATUS_IGNORE));
    CHECK_EQ(flag, 1);
    OK(MPI_Waitall(4, r, MPI_STATUSES_IGNORE));
}

static void every_epoch(const struct window *w)
{
    MPI_Group all;

    OK(MPI_Win_get_group(w->win, &all));
    OK(MPI_Win_fence(0, w->win));
    call_all(w->win);
    OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, w->win));
    OK(MPI_Win_post(all, 0, w->win));
    OK(MPI_Win_start(all, 0, w->win));
    call_all(w->win);
    OK(MPI_Win_complete(w->win));
    OK(MPI_Win_wait(w->win));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, w->win));
    call_all(w->win);
    call_requests(w->win);
    OK(MPI_Win_unlock(0, w->win));
    OK(MPI_Win_lock_all(0, w->win));
    call_all(w->win);
    call_requests(w->win);
    OK(MPI_Win_flush_all(w->win));
    OK(MPI_Win_unlock_all(w->win));
    OK(MPI_Group_free(&all));
    CHECK_EQ(one, 1);
    CHECK_EQ(result, 77);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    for (int i = 0; i < 64; i++)
        CHECK_EQ(w->base[i], 0);
    OK(MPI_Barrier(MPI_COMM_WORLD));
}

#if MPI_VERSION >= 4
/* The _c forms do what the others do. */
static void large_forms(const struct window *w)
{
    int to = (rank + 1) % size, from = (rank + size - 1) % size, x[4] = {rank, rank + 1, rank + 2, rank + 3};
    int got[4] = {0}, old[4] = {0};
    MPI_Aint at = window_at(w, to, 4);
    MPI_Request r[4];

    OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, to, 0, w->win));
    OK(MPI_Put_c(x, 4, MPI_INT, to, at, 4, MPI_INT, w->win));
    OK(MPI_Win_flush(to, w->win));
    OK(MPI_Accumulate_c(x, 4, MPI_INT, to, at, 4, MPI_INT, MPI_SUM, w->win));
    OK(MPI_Get_accumulate_c(x, 4, MPI_INT, old, 4, MPI_INT, to, at, 4, MPI_INT, MPI_SUM, w->win));
    OK(MPI_Win_flush(to, w->win));
    OK(MPI_Get_c(got, 4, MPI_INT, to, at, 4, MPI_INT, w->win));
    OK(MPI_Win_flush(to, w->win));
    for (int i = 0; i < 4; i++)
        CHECK(old[i] == 2 * x[i] && got[i] == 3 * x[i]);
    OK(MPI_Rput_c(x, 4, MPI_INT, to, at, 4, MPI_INT, w->win, &r[0]));
    OK(MPI_Wait(&r[0], MPI_STATUS_IGNORE));
    OK(MPI_Win_flush(to, w->win));
    OK(MPI_Raccumulate_c(x, 4, MPI_INT, to, at, 4, MPI_INT, MPI_SUM, w->win, &r[1]));
    OK(MPI_Rget_accumulate_c(x, 4, MPI_INT, old, 4, MPI_INT, to, at, 4, MPI_INT, MPI_SUM, w->win, &r[2]));
    OK(MPI_Waitall(2, &r[1], MPI_STATUSES_IGNORE));
    OK(MPI_Win_flush(to, w->win));
    OK(MPI_Rget_c(got, 4, MPI_INT, to, at, 4, MPI_INT, w->win, &r[3]));
    OK(MPI_Wait(&r[3], MPI_STATUS_IGNORE));
    OK(MPI_Win_unlock(to, w->win));
    for (int i = 0; i < 4; i++)
        CHECK(old[i] == 2 * x[i] && got[i] == 3 * x[i]);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    for (int i = 0; i < 4; i++)
        CHECK_EQ(((volatile int *)(void *)w->base)[4 + i], 3 * (from + i));
    OK(MPI_Barrier(MPI_COMM_WORLD));
}

/* A unit of 4 GiB: rank 0's window is sparse, and only touched at its ends. */
static void large_unit(void)
{
    const MPI_Aint unit = (MPI_Aint)1 << 32, bytes = unit + 4096;
    int value = 100 + rank, got = -1;
    unsigned char *base;
    MPI_Win win;
    int *found, flag;

    OK(MPI_Win_allocate_c(rank ? 4096 : bytes, rank ? 1 : unit, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
    OK(MPI_Win_get_attr(win, MPI_WIN_DISP_UNIT, &found, &flag));
    CHECK(flag && (rank == 0 || *found == 1));
    OK(MPI_Win_fence(0, win));
    if (rank == size - 1)
        OK(MPI_Put_c(&value, 1, MPI_INT, 0, 1, 1, MPI_INT, win));
    OK(MPI_Win_fence(0, win));
    OK(MPI_Get(&got, 1, MPI_INT, 0, 1, 1, MPI_INT, win));
    OK(MPI_Win_fence(0, win));
    CHECK_EQ(got, 100 + size - 1);
    if (rank == 0)
        CHECK(memcmp(base + unit, &got, sizeof got) == 0);
    OK(MPI_Win_free(&win));
}

static void check_unit(MPI_Win win, int expected)
{
    int *unit, flag;

    OK(MPI_Win_get_attr(win, MPI_WIN_DISP_UNIT, &unit, &flag));
    CHECK(flag && *unit == expected);
}

/* Units of all window makers, as large counts. */
static void large_makers(void)
{
    static char memory[64];
    MPI_Win win;
    void *base;

    OK(MPI_Win_create_c(memory, sizeof memory, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    check_unit(win, 8);
    OK(MPI_Win_free(&win));
    if (!shares_memory(MPI_COMM_WORLD))
        return;
    OK(MPI_Win_allocate_shared_c(64, 16, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
    check_unit(win, 16);
    memset(base, 1, 64);
    OK(MPI_Win_free(&win));
}
#endif

int main(int argc, char **argv)
{
    set_up(&argc, &argv);
    for (enum way way = 0; way < WAYS; way++) {
        struct window w;

        if (!window_open(&w, way, 64, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD))
            continue;
        every_epoch(&w);
#if MPI_VERSION >= 4
        large_forms(&w);
#endif
        window_close(&w);
    }
#if MPI_VERSION >= 5
    large_unit();
#endif
#if MPI_VERSION >= 4
    large_makers();
#endif
    MPI_Finalize();
    return 0;
}
