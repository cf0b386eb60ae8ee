/* ranks: 1 2 */
/* R5, R7: what becomes of an info after a window was made or changed with it changes no hint, nor does what the
 * program does with what get_info gave. */
#include "win_hints.h"

static void spoil(MPI_Info info)
{
    for (int i = 0; i < WIN_HINTS; i++)
        CHECK_EQ(MPI_Info_set(info, win_hints[i].key, win_hints[i].def), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);
}

int main(int argc, char **argv)
{
    MPI_Info info, told, again;
    MPI_Win win;

    CHECK_EQ(MPI_Init(&argc, &argv), MPI_SUCCESS);
    for (int maker = 0; maker < WIN_MAKERS; maker++) {
        info = win_info_of_others();
        win = win_on(MPI_COMM_WORLD, maker, info);
        spoil(info);
        CHECK_EQ(MPI_Win_get_info(win, &told), MPI_SUCCESS);
        CHECK_EQ(MPI_Win_get_info(win, &again), MPI_SUCCESS);
        CHECK(told != again);
        spoil(told);
        for (int i = 0; i < WIN_HINTS; i++)
            CHECK_STR(value_of(again, win_hints[i].key), win_hints[i].other);
        CHECK_EQ(MPI_Info_free(&again), MPI_SUCCESS);
        info = info_with(ORDERING, "none");
        CHECK_EQ(MPI_Win_set_info(win, info), MPI_SUCCESS);
        spoil(info);
        CHECK_WIN_HINT(win, ORDERING, "none");
        win_done(win);
    }
    CHECK_EQ(MPI_Finalize(), MPI_SUCCESS);
    return 0;
}
