/* ranks: 1 2 */
/* R27: outer spaces of values and of a list's elements do not count. What is reported has none, and lists in the
 * order of the standard; kind lists are reported as they were given (R34). */
#include "win_hints.h"

static const struct {
    const char *key, *given, *reported;
} values[] = {
    {NO_LOCKS, "  true ", "true"},    {OPS, "\tsame_op ", "same_op"},
    {ORDERING, "waw,rar", "rar,waw"}, {ORDERING, " waw , war,raw,\trar ", "rar,raw,war,waw"},
    {ORDERING, " none ", "none"},     {ORDERING, "raw", "raw"},
    {GRANULARITY, " +16 ", "16"},     {GRANULARITY, "007", "7"},
    {SAME_SIZE, " true", "true"},     {SAME_DISP_UNIT, "true ", "true"},
    {ALIGNMENT, " 4096 ", "4096"},    {ASSERTED_KINDS, " system , mpi", " system , mpi"},
};

int main(int argc, char **argv)
{
    MPI_Win win;

    CHECK_EQ(MPI_Init(&argc, &argv), MPI_SUCCESS);
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        win = win_with((enum win_maker)(i % WIN_MAKERS), info_with(values[i].key, values[i].given));
        CHECK_WIN_HINT(win, values[i].key, values[i].reported);
        set_win_hint(win, values[i].key, values[i].given);
        CHECK_WIN_HINT(win, values[i].key, values[i].reported);
        win_done(win);
    }
    CHECK_EQ(MPI_Finalize(), MPI_SUCCESS);
    return 0;
}
