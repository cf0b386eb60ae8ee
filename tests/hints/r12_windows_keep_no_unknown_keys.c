/* ranks: 1 2 */
/* R12, R18: a key that is no hint of windows is neither kept nor an error, at creation and later: another
 * library's, a communicator's, a setting. What the library alone sets, no program changes (R11). */
#include "win_hints.h"

static const char *const strange[] = {"somebody_elses_key",  NO_ANY_TAG, STRICT,
                                      "inkling_eager_limit", "NO_LOCKS", "thread_level"};

int main(int argc, char **argv)
{
    char kinds[MPI_MAX_INFO_VAL + 1];
    MPI_Info info;
    MPI_Win win;

    CHECK_EQ(MPI_Init(&argc, &argv), MPI_SUCCESS);
    snprintf(kinds, sizeof kinds, "%s", hint_of(MPI_COMM_WORLD, KINDS));
    info = info_with(KINDS, "system");
    for (size_t i = 0; i < sizeof strange / sizeof *strange; i++)
        CHECK_EQ(MPI_Info_set(info, strange[i], "true"), MPI_SUCCESS);
    for (int maker = 0; maker < WIN_MAKERS; maker++) {
        win = win_on(MPI_COMM_WORLD, maker, info);
        check_win_defaults(win);
        CHECK_WIN_HINT(win, KINDS, kinds);
        CHECK_EQ(MPI_Win_set_info(win, info), MPI_SUCCESS);
        check_win_defaults(win);
        CHECK_WIN_HINT(win, KINDS, kinds);
        win_done(win);
    }
    CHECK_STR(value_of(info, strange[0]), "true");
    CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);
    CHECK_EQ(MPI_Finalize(), MPI_SUCCESS);
    return 0;
}
