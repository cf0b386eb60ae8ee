/* ranks: 1 2 */
/* R20, R26: a hint with a value that it cannot have is ignored, and no error, at creation and later; the other
 * keys of that info count. */
#include "win_hints.h"

static const struct {
    const char *key, *value;
} bad[] = {
    {NO_LOCKS, "yes"},
    {NO_LOCKS, "True"},
    {SAME_SIZE, ""},
    {SAME_DISP_UNIT, "1"},
    {NONCONTIG, "true,true"},
    {ORDERING, ""},
    {ORDERING, "rar,"},
    {ORDERING, "rar,rar"},
    {ORDERING, "none,rar"},
    {ORDERING, "rar;waw"},
    {ORDERING, "RAR"},
    {ORDERING, "wax"},
    {OPS, "same_op,same_op_no_op"},
    {OPS, "any"},
    {GRANULARITY, "-1"},
    {GRANULARITY, "8K"},
    {GRANULARITY, "eight"},
    {ALIGNMENT, "0"},
    {ALIGNMENT, "48"},
    {ASSERTED_KINDS, "granite"},
};

int main(int argc, char **argv)
{
    MPI_Info info;
    MPI_Win win;

    CHECK_EQ(MPI_Init(&argc, &argv), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN), MPI_SUCCESS);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const char *beside = strcmp(bad[i].key, OPS) ? OPS : NO_LOCKS;
        const char *value = strcmp(bad[i].key, OPS) ? "same_op" : "true";

        info = info_with(bad[i].key, bad[i].value);
        CHECK_EQ(MPI_Info_set(info, beside, value), MPI_SUCCESS);
        win = win_on(MPI_COMM_WORLD, (enum win_maker)(i % WIN_MAKERS), MPI_INFO_NULL);
        CHECK_EQ(MPI_Win_set_info(win, info), MPI_SUCCESS);
        CHECK_WIN_HINT(win, beside, value);
        set_win_hint(win, beside, strcmp(beside, OPS) ? "false" : "same_op_no_op");
        check_win_defaults(win);
        win_done(win);
        win = win_with((enum win_maker)((i + 1) % WIN_MAKERS), info);
        CHECK_WIN_HINT(win, beside, value);
        set_win_hint(win, beside, strcmp(beside, OPS) ? "false" : "same_op_no_op");
        check_win_defaults(win);
        win_done(win);
    }
    CHECK_EQ(MPI_Finalize(), MPI_SUCCESS);
    return 0;
}
