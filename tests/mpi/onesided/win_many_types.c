/* ranks: 2  timeout: 60  also: INKLING_TRANSPORT=ofi */
/* Types of targets, more than an agent remembers: the first ones are told again. */
#include "win.h"

enum {
    TYPES = 1100
};

static MPI_Datatype type[TYPES]; /* each is two of the window's ints */

static void make_types(void)
{
    for (int i = 0; i < TYPES; i++) {
        OK(MPI_Type_create_indexed_block(2, 1, (int[]){i, TYPES + i}, MPI_INT, &type[i]));
        OK(MPI_Type_commit(&type[i]));
    }
}

static void put_all(MPI_Win win, int turn)
{
    int pair[TYPES][2];

    OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win));
    for (int i = 0; i < TYPES; i++) {
        pair[i][0] = turn * TYPES + i;
        pair[i][1] = -pair[i][0];
        OK(MPI_Put(pair[i], 2, MPI_INT, 1, 0, 1, type[i], win));
    }
    OK(MPI_Win_unlock(1, win));
}

int main(int argc, char **argv)
{
    static int memory[2 * TYPES];
    MPI_Win win;

    set_up(&argc, &argv);
    OK(MPI_Win_create(memory, sizeof memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    make_types();
    for (int turn = 1; turn < 4; turn++) {
        if (rank == 0)
            put_all(win, turn);
        OK(MPI_Barrier(MPI_COMM_WORLD));
        OK(MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win));
        for (int i = 0; i < TYPES && rank; i++) {
            CHECK_EQ(memory[i], turn * TYPES + i);
            CHECK_EQ(memory[TYPES + i], -memory[i]);
        }
        OK(MPI_Win_unlock(rank, win));
        OK(MPI_Barrier(MPI_COMM_WORLD));
    }
    for (int i = 0; i < TYPES; i++)
        OK(MPI_Type_free(&type[i]));
    OK(MPI_Win_free(&win));
    MPI_Finalize();
    return 0;
}
