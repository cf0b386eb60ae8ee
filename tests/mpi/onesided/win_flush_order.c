/* ranks: 2 timeout: 60 also: INKLING_CMA=false */
/* What a rank has put and flushed is seen by all before it reads on: of two ranks that each put to the other, flush, and then read what the
 * other has put to them, one at least sees it. Before each put comes an
 * operation whose flush needs no fence. Without the flush some 20 rounds fail. */
#include "win.h"

#include <sched.h>

enum {
    ROUNDS = 30000,
    STRIDE = 16, /* words: each on cache lines of its own */
    /* In units of STRIDE: what the other has put, where ranks meet (of rank 0), and what other operations access. */
    MINE = 1,
    GATE = 3,
    OTHERS = 5,
    UNITS = 7
};

static unsigned char saw[ROUNDS];
static uint64_t *of_first;
static unsigned delay;

/* Leaves both ranks at about the same time. */
static void meet(uint64_t round)
{
    uint64_t *gate = of_first + GATE * STRIDE;

    __atomic_fetch_add(gate, 1, __ATOMIC_SEQ_CST);
    for (unsigned spins = 0; __atomic_load_n(gate, __ATOMIC_ACQUIRE) < 2 * round; spins++)
        if (spins > 2000)
            sched_yield();
    delay = delay * 1103515245 + 12345;
    for (volatile unsigned i = (delay >> 16) % 24; i > 0; i--)
        ;
}

static void other_operation(const struct window *w, uint64_t round)
{
    uint64_t one = 1, got;
    MPI_Aint at = window_at(w, !rank, OTHERS * STRIDE);

    if (round % 3 == 0)
        OK(MPI_Fetch_and_op(&one, &got, MPI_UINT64_T, !rank, at, MPI_SUM, w->win));
    if (round % 3 == 1)
        OK(MPI_Get(&got, 1, MPI_UINT64_T, !rank, at, 1, MPI_UINT64_T, w->win));
    if (round % 2 == 0)
        OK(MPI_Win_flush(!rank, w->win));
}

static void play(const struct window *w, uint64_t round)
{
    const uint64_t *mine = (const uint64_t *)(const void *)w->base + MINE * STRIDE;

    other_operation(w, round);
    meet(round);
    OK(MPI_Put(&round, 1, MPI_UINT64_T, !rank, window_at(w, !rank, MINE * STRIDE), 1, MPI_UINT64_T, w->win));
    OK(MPI_Win_flush(!rank, w->win));
    saw[round - 1] = __atomic_load_n(mine, __ATOMIC_RELAXED) == round;
}

int main(int argc, char **argv)
{
    static unsigned char any[ROUNDS];
    struct window w;
    MPI_Aint bytes;
    int unit, missed = 0;

    set_up(&argc, &argv);
    CHECK(window_open(&w, SHARED, (MPI_Aint)UNITS * STRIDE * 8, 8, MPI_INFO_NULL, MPI_COMM_WORLD));
    OK(MPI_Win_shared_query(w.win, 0, &bytes, &unit, &of_first));
    OK(MPI_Win_lock_all(0, w.win));
    for (uint64_t round = 1; round <= ROUNDS; round++)
        play(&w, round);
    OK(MPI_Win_unlock_all(w.win));
    OK(MPI_Allreduce(saw, any, ROUNDS, MPI_UNSIGNED_CHAR, MPI_MAX, MPI_COMM_WORLD));
    for (int i = 0; i < ROUNDS; i++)
        missed += !any[i];
    CHECK_EQ(missed, 0);
    window_close(&w);
    OK(MPI_Finalize());
    return 0;
}
