/* ranks: 2 3 also: INKLING_CMA=false also: INKLING_TRANSPORT=ofi */
/* accumulate_ops is changed while accumulates are under way, also large ones by messages. They are made under the old
 * hints: when MPI_Win_set_info returns at the target, they have been made. */
#include "win_hints.h"

enum {
    ITEMS = 1 << 16,
    ROUNDS = 10
};

static double memory[ITEMS], data[ITEMS];

/* The last rank's memory is replaced by rank 0 in even rounds, and added to by it in odd ones. */
static void operate(MPI_Win win, int target, int round)
{
    for (int i = 0; i < ITEMS; i++)
        data[i] = round + i;
    CHECK_EQ(
        MPI_Accumulate(data, 1, MPI_DOUBLE, target, 0, 1, MPI_DOUBLE, round % 2 ? MPI_SUM : MPI_REPLACE, win),
        MPI_SUCCESS);
    CHECK_EQ(MPI_Accumulate(data + 1, ITEMS - 1, MPI_DOUBLE, target, sizeof(double), ITEMS - 1, MPI_DOUBLE,
                            round % 2 ? MPI_SUM : MPI_REPLACE, win),
             MPI_SUCCESS);
}

static void check(int round)
{
    for (int i = 0; i < ITEMS; i++)
        CHECK(memory[i] == (round % 2 ? 2 * (double)i + 2 * round - 1 : (double)i + round));
}

int main(int argc, char **argv)
{
    int rank, target;
    MPI_Win win;

    CHECK_EQ(MPI_Init(&argc, &argv), MPI_SUCCESS);
    rank = rank_in(MPI_COMM_WORLD);
    target = size_of(MPI_COMM_WORLD) - 1;
    CHECK_EQ(MPI_Win_create(memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win), MPI_SUCCESS);
    CHECK_EQ(MPI_Win_lock_all(0, win), MPI_SUCCESS);
    for (int round = 0; round < ROUNDS; round++) {
        if (rank == 0)
            operate(win, target, round);
        set_win_hint(win, OPS, round % 2 ? "same_op_no_op" : "same_op");
        CHECK_EQ(MPI_Win_sync(win), MPI_SUCCESS);
        if (rank == target)
            check(round);
        CHECK_EQ(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS);
    }
    CHECK_EQ(MPI_Win_unlock_all(win), MPI_SUCCESS);
    win_done(win);
    CHECK_EQ(MPI_Finalize(), MPI_SUCCESS);
    return 0;
}
