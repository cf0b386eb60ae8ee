/* ranks: 1 2 */
/* R22, R24: what a window may be told later can also be taken back, as often as one likes, and is never in force
 * without having been said. A window whose no_locks was taken back can be locked. */
#include "win_hints.h"

int main(int argc, char **argv)
{
    MPI_Win win;

    CHECK_EQ(MPI_Init(&argc, &argv), MPI_SUCCESS);
    for (int maker = 0; maker < WIN_MAKERS; maker++) {
        win = win_with(maker, info_with(NO_LOCKS, "true"));
        CHECK_WIN_HINT(win, NO_LOCKS, "true");
        for (int round = 0; round < 3; round++)
            for (int i = 0; i < WIN_HINTS; i++) {
                if (win_hints[i].is_fixed)
                    continue;
                set_win_hint(win, win_hints[i].key, win_hints[i].other);
                CHECK_WIN_HINT(win, win_hints[i].key, win_hints[i].other);
                set_win_hint(win, win_hints[i].key, win_hints[i].def);
                CHECK_WIN_HINT(win, win_hints[i].key, win_hints[i].def);
            }
        CHECK_EQ(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win), MPI_SUCCESS);
        CHECK_EQ(MPI_Win_unlock(0, win), MPI_SUCCESS);
        win_done(win);
    }
    CHECK_EQ(MPI_Finalize(), MPI_SUCCESS);
    return 0;
}
