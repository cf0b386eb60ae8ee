/* every_win_row: walks the rows of windows (walk.h). */
#include "walk.h"

static MPI_Win win;

static void make(MPI_Info info)
{
    void *base;

    CHECK_EQ(MPI_Win_allocate(64, 1, info, MPI_COMM_WORLD, &base, &win), MPI_SUCCESS);
}

static int set_info(MPI_Info info)
{
    return MPI_Win_set_info(win, info);
}

static int get_info(MPI_Info *info)
{
    return MPI_Win_get_info(win, info);
}

static void win_free(void)
{
    CHECK_EQ(MPI_Win_free(&win), MPI_SUCCESS);
}

static const char *told(const struct hint_row *row)
{
    return row->def;
}

int main(int argc, char **argv)
{
    static const char *const numbers[VALUES] = {"8", "1", "4096"};
    static const char *const operations[VALUES] = {"same_op", "same_op_no_op", "same_op"};
    static const char *const orders[VALUES] = {"none", "rar,waw", "raw"};
    static const struct walk_class windows = {ON_WIN,  make,       set_info, get_info, win_free,
                                              numbers, operations, orders,   NULL,     told};

    CHECK_EQ(MPI_Init(&argc, &argv), MPI_SUCCESS);
    walk_rows(&windows);
    CHECK_EQ(MPI_Finalize(), MPI_SUCCESS);
    return 0;
}
