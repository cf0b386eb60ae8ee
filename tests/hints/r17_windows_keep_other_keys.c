/* ranks: 1 2 4 */
/* R17, R21, R25: MPI_Win_set_info changes the keys that it is given and no others; an empty info and
 * MPI_INFO_NULL change nothing. Ranks may give different infos (R16). */
#include "win_hints.h"

static void expect_others(MPI_Win win, const char *except)
{
    for (int i = 0; i < WIN_HINTS; i++)
        if (strcmp(win_hints[i].key, except))
            CHECK_WIN_HINT(win, win_hints[i].key, win_hints[i].other);
}

int main(int argc, char **argv)
{
    MPI_Info empty;
    MPI_Win win;
    int rank;

    CHECK_EQ(MPI_Init(&argc, &argv), MPI_SUCCESS);
    rank = rank_in(MPI_COMM_WORLD);
    CHECK_EQ(MPI_Info_create(&empty), MPI_SUCCESS);
    for (int maker = 0; maker < WIN_MAKERS; maker++) {
        win = win_with(maker, win_info_of_others());
        expect_others(win, "");
        CHECK_EQ(MPI_Win_set_info(win, MPI_INFO_NULL), MPI_SUCCESS);
        CHECK_EQ(MPI_Win_set_info(win, empty), MPI_SUCCESS);
        expect_others(win, "");
        set_win_hint(win, OPS, "same_op_no_op");
        CHECK_WIN_HINT(win, OPS, "same_op_no_op");
        expect_others(win, OPS);
        set_win_hint(win, OPS, "same_op");
        /* each rank has its own orders; some give none now */
        if (rank % 2)
            set_win_hint(win, ORDERING, "raw");
        else
            CHECK_EQ(MPI_Win_set_info(win, MPI_INFO_NULL), MPI_SUCCESS);
        CHECK_WIN_HINT(win, ORDERING, rank % 2 ? "raw" : "rar,waw");
        expect_others(win, ORDERING);
        win_done(win);
    }
    CHECK_EQ(MPI_Info_free(&empty), MPI_SUCCESS);
    CHECK_EQ(MPI_Finalize(), MPI_SUCCESS);
    return 0;
}
