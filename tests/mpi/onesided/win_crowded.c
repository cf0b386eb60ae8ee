/* ranks: 8 timeout: 60 also: INKLING_CMA=false also: INKLING_TRANSPORT=ofi */
/* Eight ranks on one core, in epochs of each kind: whoever waits must sleep or yield to the rank that it waits for, and be woken. */
#include "win.h"

#include <sched.h>

enum {
    ROUNDS = 40
};

static int next, before;

/* Before MPI_Init, so that the library sees one core. */
static void share_one_core(void)
{
    cpu_set_t all, one;
    int core = 0;

    CHECK_EQ(sched_getaffinity(0, sizeof all, &all), 0);
    while (!CPU_ISSET(core, &all))
        core++;
    CPU_ZERO(&one);
    CPU_SET(core, &one);
    CHECK_EQ(sched_setaffinity(0, sizeof one, &one), 0);
}

static void put_round(const struct window *w, int target, int round)
{
    OK(MPI_Put(&round, 1, MPI_INT, target, window_at(w, target, rank), 1, MPI_INT, w->win));
}

static int seen(const struct window *w, int of)
{
    return ((volatile int *)(void *)w->base)[of];
}

static void fences(const struct window *w)
{
    OK(MPI_Win_fence(0, w->win));
    for (int round = 1; round <= ROUNDS; round++) {
        put_round(w, next, round);
        OK(MPI_Win_fence(0, w->win));
        CHECK_EQ(seen(w, before), round);
        OK(MPI_Win_fence(0, w->win));
    }
    OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, w->win));
}

static void posts(const struct window *w)
{
    MPI_Group world, to, from;

    OK(MPI_Comm_group(MPI_COMM_WORLD, &world));
    OK(MPI_Group_incl(world, 1, &next, &to));
    OK(MPI_Group_incl(world, 1, &before, &from));
    for (int round = ROUNDS + 1; round <= 2 * ROUNDS; round++) {
        OK(MPI_Win_post(from, 0, w->win));
        OK(MPI_Win_start(to, 0, w->win));
        put_round(w, next, round);
        OK(MPI_Win_complete(w->win));
        OK(MPI_Win_wait(w->win));
        CHECK_EQ(seen(w, before), round);
    }
    OK(MPI_Group_free(&world));
    OK(MPI_Group_free(&to));
    OK(MPI_Group_free(&from));
}

/* All count in one place; the holder yields its core now and then. */
static void locks(const struct window *w, int type)
{
    MPI_Aint counter = window_at(w, 0, size);
    int one = 1, count;

    for (int round = 0; round < ROUNDS; round++) {
        OK(MPI_Win_lock(type, 0, 0, w->win));
        if (type == MPI_LOCK_EXCLUSIVE) {
            OK(MPI_Get(&count, 1, MPI_INT, 0, counter, 1, MPI_INT, w->win));
            OK(MPI_Win_flush(0, w->win));
            if (round % 4 == 0)
                sched_yield();
            count++;
            OK(MPI_Put(&count, 1, MPI_INT, 0, counter, 1, MPI_INT, w->win));
        } else {
            OK(MPI_Accumulate(&one, 1, MPI_INT, 0, counter, 1, MPI_INT, MPI_SUM, w->win));
        }
        OK(MPI_Win_unlock(0, w->win));
    }
    OK(MPI_Barrier(MPI_COMM_WORLD));
}

static void check_counter(const struct window *w)
{
    OK(MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, w->win));
    if (rank == 0)
        CHECK_EQ(seen(w, size), 2 * size * ROUNDS);
    OK(MPI_Win_unlock(rank, w->win));
}

int main(int argc, char **argv)
{
    share_one_core();
    set_up(&argc, &argv);
    next = (rank + 1) % size;
    before = (rank + size - 1) % size;
    for (enum way way = 0; way < WAYS; way++) {
        struct window w;

        if (!window_open(&w, way, (MPI_Aint)sizeof(int) * (size + 1), sizeof(int), MPI_INFO_NULL,
                         MPI_COMM_WORLD))
            continue;
        fences(&w);
        posts(&w);
        locks(&w, MPI_LOCK_EXCLUSIVE);
        locks(&w, MPI_LOCK_SHARED);
        check_counter(&w);
        window_close(&w);
    }
    OK(MPI_Finalize());
    return 0;
}
