/* win_hints: what the tests of windows' hints share. */
#ifndef TESTS_HINTS_WIN_HINTS_H
#define TESTS_HINTS_WIN_HINTS_H

#include "hints.h"

#define NO_LOCKS       "no_locks"
#define ORDERING       "accumulate_ordering"
#define OPS            "accumulate_ops"
#define GRANULARITY    "mpi_accumulate_granularity"
#define SAME_SIZE      "same_size"
#define SAME_DISP_UNIT "same_disp_unit"
#define NONCONTIG      "alloc_shared_noncontig"
#define ALIGNMENT      "mpi_minimum_memory_alignment"

/* The hints of windows that have a default: the key, the default, and another value of each. */
static const struct win_hint {
    const char *key, *def, *other;
    int is_fixed; /* when the window is made */
} win_hints[] = {
    {NO_LOCKS, "false", "true", 0},       {ORDERING, "rar,raw,war,waw", "rar,waw", 0},
    {OPS, "same_op_no_op", "same_op", 0}, {GRANULARITY, "0", "8", 1},
    {SAME_SIZE, "false", "true", 1},      {SAME_DISP_UNIT, "false", "true", 1},
    {NONCONTIG, "false", "true", 1},      {ALIGNMENT, "64", "4096", 1},
};
enum {
    WIN_HINTS = sizeof win_hints / sizeof *win_hints
};

/* The four constructors. */
enum win_maker {
    BY_CREATE,
    BY_ALLOCATE,
    BY_ALLOCATE_SHARED,
    BY_CREATE_DYNAMIC,
    WIN_MAKERS
};
enum {
    WIN_BYTES = 128
};

/* Makes a window of `bytes` on each rank of comm; returns the constructor's error. The ranks share a host. */
static inline int win_try(enum win_maker maker, MPI_Aint bytes, int unit, MPI_Info info, MPI_Comm comm,
                          MPI_Win *win)
{
    static char memory[4 * WIN_BYTES];
    void *base;

    CHECK(bytes <= (MPI_Aint)sizeof memory);
    switch (maker) {
    case BY_CREATE:
        return MPI_Win_create(memory, bytes, unit, info, comm, win);
    case BY_ALLOCATE:
        return MPI_Win_allocate(bytes, unit, info, comm, &base, win);
    case BY_ALLOCATE_SHARED:
        return MPI_Win_allocate_shared(bytes, unit, info, comm, &base, win);
    default:
        return MPI_Win_create_dynamic(info, comm, win);
    }
}

static inline MPI_Win win_on(MPI_Comm comm, enum win_maker maker, MPI_Info info)
{
    MPI_Win win = MPI_WIN_NULL;

    CHECK_EQ(win_try(maker, WIN_BYTES, 1, info, comm, &win), MPI_SUCCESS);
    CHECK(win != MPI_WIN_NULL);
    return win;
}

/* Frees the info, too. */
static inline MPI_Win win_with(enum win_maker maker, MPI_Info info)
{
    MPI_Win win = win_on(MPI_COMM_WORLD, maker, info);

    if (info != MPI_INFO_NULL)
        CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);
    return win;
}

/* What the window reports; NULL: nothing. Stands until the next call. */
static inline const char *win_hint_of(MPI_Win win, const char *key)
{
    MPI_Info info = MPI_INFO_NULL;
    const char *value;

    CHECK_EQ(MPI_Win_get_info(win, &info), MPI_SUCCESS);
    CHECK(info != MPI_INFO_NULL);
    value = value_of(info, key);
    CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);
    return value;
}

#define CHECK_WIN_HINT(win, key, expected) CHECK_STR(win_hint_of(win, key), expected)
#define CHECK_NO_WIN_HINT(win, key)        CHECK(win_hint_of(win, key) == NULL)

static inline void set_win_hint(MPI_Win win, const char *key, const char *value)
{
    MPI_Info info = info_with(key, value);

    CHECK_EQ(MPI_Win_set_info(win, info), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);
}

/* An info with the other value of every hint. */
static inline MPI_Info win_info_of_others(void)
{
    MPI_Info info;

    CHECK_EQ(MPI_Info_create(&info), MPI_SUCCESS);
    for (int i = 0; i < WIN_HINTS; i++)
        CHECK_EQ(MPI_Info_set(info, win_hints[i].key, win_hints[i].other), MPI_SUCCESS);
    return info;
}

/* The window reports the defaults, the kinds, and nothing else. */
static inline void check_win_defaults(MPI_Win win)
{
    MPI_Info info;
    int count;

    for (int i = 0; i < WIN_HINTS; i++)
        CHECK_WIN_HINT(win, win_hints[i].key, win_hints[i].def);
    CHECK_NO_WIN_HINT(win, ASSERTED_KINDS);
    CHECK_EQ(MPI_Win_get_info(win, &info), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_get_nkeys(info, &count), MPI_SUCCESS);
    CHECK_EQ(count, WIN_HINTS + 1); /* and the kinds */
    CHECK(value_of(info, KINDS) != NULL);
    CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);
}

static inline void win_done(MPI_Win win)
{
    CHECK_EQ(MPI_Win_free(&win), MPI_SUCCESS);
    CHECK(win == MPI_WIN_NULL);
}

#endif
