/* ranks: 1 2 3 4 */
/* R33, R31: same_size, same_disp_unit and the other hints that must be the same on all ranks are in force where
 * all ranks gave them with one value, and else nowhere. Ranks that disagree about one hint lose that one alone.
 * Nothing hangs when only some give a key, or an info. */
#include "win_hints.h"

static const char *const agreed[] = {NO_LOCKS, OPS, GRANULARITY, SAME_SIZE, SAME_DISP_UNIT, NONCONTIG};
enum {
    AGREED = sizeof agreed / sizeof *agreed
};

static const struct win_hint *row_of(const char *key)
{
    for (int i = 0; i < WIN_HINTS; i++)
        if (strcmp(win_hints[i].key, key) == 0)
            return &win_hints[i];
    return NULL;
}

/* The last of several ranks does not give `key`; all give the others. */
static void one_is_odd(enum win_maker maker, const char *key)
{
    int size = size_of(MPI_COMM_WORLD), rank = rank_in(MPI_COMM_WORLD);
    MPI_Info info = win_info_of_others();
    MPI_Win win;

    if (rank == size - 1 && size > 1)
        CHECK_EQ(MPI_Info_delete(info, key), MPI_SUCCESS);
    win = win_with(maker, info);
    for (int i = 0; i < WIN_HINTS; i++) {
        const struct win_hint *row = &win_hints[i];

        CHECK_WIN_HINT(win, row->key, size > 1 && strcmp(row->key, key) == 0 ? row->def : row->other);
    }
    win_done(win);
}

/* The first rank alone has an info. Hints of each rank's own are not lost. */
static void one_has_an_info(enum win_maker maker)
{
    int is_first = rank_in(MPI_COMM_WORLD) == 0, is_alone = size_of(MPI_COMM_WORLD) == 1;
    MPI_Win win = win_with(maker, is_first ? win_info_of_others() : MPI_INFO_NULL);

    for (int i = 0; i < AGREED; i++)
        CHECK_WIN_HINT(win, agreed[i], is_alone ? row_of(agreed[i])->other : row_of(agreed[i])->def);
    CHECK_WIN_HINT(win, ORDERING, is_first ? "rar,waw" : "rar,raw,war,waw");
    CHECK_WIN_HINT(win, ALIGNMENT, is_first ? "4096" : "64");
    win_done(win);
}

/* Those that may change later are settled again, and may be agreed on again. */
static void later(enum win_maker maker)
{
    int is_last = rank_in(MPI_COMM_WORLD) == size_of(MPI_COMM_WORLD) - 1,
        is_alone = size_of(MPI_COMM_WORLD) == 1;
    MPI_Win win = win_with(maker, win_info_of_others());
    MPI_Info info = info_with(OPS, "same_op");

    CHECK_EQ(MPI_Info_set(info, NO_LOCKS, is_last && !is_alone ? "false" : "true"), MPI_SUCCESS);
    CHECK_EQ(MPI_Win_set_info(win, info), MPI_SUCCESS);
    CHECK_WIN_HINT(win, NO_LOCKS, is_alone ? "true" : "false");
    CHECK_WIN_HINT(win, OPS, "same_op");
    CHECK_WIN_HINT(win, SAME_SIZE, "true");
    CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);
    set_win_hint(win, NO_LOCKS, "true");
    CHECK_WIN_HINT(win, NO_LOCKS, "true");
    info = info_with(OPS, "same_op_no_op"); /* only the last takes it back: nobody keeps it */
    CHECK_EQ(MPI_Win_set_info(win, is_last ? info : MPI_INFO_NULL), MPI_SUCCESS);
    CHECK_WIN_HINT(win, OPS, "same_op_no_op");
    CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);
    win_done(win);
}

int main(int argc, char **argv)
{
    CHECK_EQ(MPI_Init(&argc, &argv), MPI_SUCCESS);
    for (int maker = 0; maker < WIN_MAKERS; maker++) {
        for (int i = 0; i < AGREED; i++)
            one_is_odd(maker, agreed[i]);
        one_has_an_info(maker);
        later(maker);
    }
    CHECK_EQ(MPI_Finalize(), MPI_SUCCESS);
    return 0;
}
