/* ranks: 1 2 3 4 */
/* R40, R9, R10: all four constructors take hints; a window that was given none has the standard's defaults; what
 * was given is reported. What is fixed at creation stays as it was made, whatever set_info says (R19). */
#include "win_hints.h"

static void walk_defaults(enum win_maker maker)
{
    MPI_Win win = win_with(maker, MPI_INFO_NULL);

    check_win_defaults(win);
    win_done(win);
}

/* Each hint alone changes no other. */
static void walk_each(enum win_maker maker)
{
    for (int i = 0; i < WIN_HINTS; i++) {
        MPI_Win win = win_with(maker, info_with(win_hints[i].key, win_hints[i].other));

        for (int j = 0; j < WIN_HINTS; j++)
            CHECK_WIN_HINT(win, win_hints[j].key, j == i ? win_hints[j].other : win_hints[j].def);
        set_win_hint(win, win_hints[i].key, win_hints[i].def);
        CHECK_WIN_HINT(win, win_hints[i].key, win_hints[i].is_fixed ? win_hints[i].other : win_hints[i].def);
        win_done(win);
    }
}

static void walk_later(enum win_maker maker)
{
    MPI_Win win = win_with(maker, MPI_INFO_NULL);

    for (int i = 0; i < WIN_HINTS; i++) {
        set_win_hint(win, win_hints[i].key, win_hints[i].other);
        CHECK_WIN_HINT(win, win_hints[i].key, win_hints[i].is_fixed ? win_hints[i].def : win_hints[i].other);
    }
    win_done(win);
}

/* The assertion narrows the kinds of this window alone. */
static void walk_kinds(enum win_maker maker)
{
    MPI_Win win = win_with(maker, info_with(ASSERTED_KINDS, "mpi:win_allocate,system"));

    CHECK_WIN_HINT(win, ASSERTED_KINDS, "mpi:win_allocate,system");
    CHECK_WIN_HINT(win, KINDS, "mpi:win_allocate,system");
    set_win_hint(win, ASSERTED_KINDS, "system,granite");
    CHECK_WIN_HINT(win, ASSERTED_KINDS, "mpi:win_allocate,system");
    win_done(win);
}

int main(int argc, char **argv)
{
    CHECK_EQ(MPI_Init(&argc, &argv), MPI_SUCCESS);
    for (int maker = 0; maker < WIN_MAKERS; maker++) {
        walk_defaults(maker);
        walk_each(maker);
        walk_later(maker);
        walk_kinds(maker);
    }
    CHECK_EQ(MPI_Finalize(), MPI_SUCCESS);
    return 0;
}
