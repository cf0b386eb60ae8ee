/* ranks: 4 5 */
/* R30: a hint of windows that must be the same on all ranks and is not: one rank says so, once, in one line with
 * the hint, the odd rank and its value. Each hint for itself, also where two are disputed in one call. */
#include "ear.h"
#include "win_hints.h"

static const struct win_hint *row_of(const char *key)
{
    for (int i = 0; i < WIN_HINTS; i++)
        if (strcmp(win_hints[i].key, key) == 0)
            return &win_hints[i];
    CHECK(!"known");
    return NULL;
}

/* So many lines were written by all ranks together. */
static void expect_lines(const char *said, int expected)
{
    int lines = 0, all;

    for (const char *c = said; *c; c++)
        lines += *c == '\n';
    CHECK_EQ(MPI_Allreduce(&lines, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD), MPI_SUCCESS);
    CHECK_EQ(all, expected);
}

/* On the odd rank alone the text says so. */
static void expect_named(const char *said, const char *key, int odd, const char *value)
{
    char quoted[64], name[128];

    snprintf(quoted, sizeof quoted, "\"%s\" must be the same on all ranks", key);
    snprintf(name, sizeof name, "but rank %d has \"%s\" and ", odd, value);
    CHECK_EQ(strstr(said, quoted) != NULL, rank_in(MPI_COMM_WORLD) == odd);
    if (rank_in(MPI_COMM_WORLD) == odd)
        CHECK(strstr(said, name) != NULL);
}

static void make_odd(enum win_maker maker, const char *key, int odd)
{
    const struct win_hint *row = row_of(key);
    int is_odd = rank_in(MPI_COMM_WORLD) == odd;
    const char *said;
    MPI_Win win;

    listen_begin();
    win = win_with(maker, info_with(key, is_odd ? row->other : row->def));
    said = listen_end();
    expect_named(said, key, odd, row->other);
    expect_lines(said, 1);
    CHECK_WIN_HINT(win, key, row->def);
    win_done(win);
}

/* Two hints in one call, and only one rank has an info. */
static void two_at_once(const char *key, const char *other_key, int odd, int other_odd)
{
    int rank = rank_in(MPI_COMM_WORLD);
    const struct win_hint *row = row_of(key), *other = row_of(other_key);
    const char *said;
    MPI_Info info;
    MPI_Win win;

    CHECK_EQ(MPI_Info_create(&info), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_set(info, SAME_SIZE, "true"), MPI_SUCCESS);
    if (rank == odd)
        CHECK_EQ(MPI_Info_set(info, key, row->other), MPI_SUCCESS);
    if (rank == other_odd)
        CHECK_EQ(MPI_Info_set(info, other_key, other->other), MPI_SUCCESS);
    listen_begin();
    win = win_with(BY_ALLOCATE, info);
    said = listen_end();
    expect_named(said, key, odd, row->other);
    expect_named(said, other_key, other_odd, other->other);
    expect_lines(said, 2);
    CHECK_WIN_HINT(win, SAME_SIZE, "true");
    win_done(win);
}

static void set_odd(const char *key, int odd, int lines)
{
    const struct win_hint *row = row_of(key);
    MPI_Win win = win_with(BY_CREATE, MPI_INFO_NULL);
    const char *said;

    listen_begin();
    set_win_hint(win, key, rank_in(MPI_COMM_WORLD) == odd ? row->other : row->def);
    said = listen_end();
    if (lines)
        expect_named(said, key, odd, row->other);
    expect_lines(said, lines);
    CHECK_WIN_HINT(win, key, row->def);
    win_done(win);
}

int main(int argc, char **argv)
{
    int last;

    CHECK_EQ(MPI_Init(&argc, &argv), MPI_SUCCESS);
    last = size_of(MPI_COMM_WORLD) - 1;
    make_odd(BY_CREATE, NO_LOCKS, 0);
    make_odd(BY_ALLOCATE_SHARED, NONCONTIG, last);
    two_at_once(SAME_DISP_UNIT, GRANULARITY, 1, 2);
    set_odd(OPS, 2, 1);
    set_odd(OPS, 2, 0); /* it has said so before */
    CHECK_EQ(MPI_Finalize(), MPI_SUCCESS);
    return 0;
}
