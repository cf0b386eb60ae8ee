/* ranks: 1 2 4 */
/* R36: a program that keeps its promises gets the same results with a window's hints and without: accumulates
 * of all ranks to one memory are atomic and complete, whatever mpi_accumulate_granularity, operations and order were given,
 * in fences, under post/start and, without no_locks, under locks. */
#include "win_hints.h"

#include <stddef.h>

enum {
    ELEMENTS = 33,
    ROUNDS = 50
};

static const char *const promises[][2] = {
    {NULL, NULL},          {GRANULARITY, "1"},       {GRANULARITY, "8"}, {GRANULARITY, "16"},
    {GRANULARITY, "4096"}, {OPS, "same_op"},         {ORDERING, "none"}, {ORDERING, "rar"},
    {SAME_SIZE, "true"},   {SAME_DISP_UNIT, "true"}, {NO_LOCKS, "true"},
};

struct memory {
    long long count[ELEMENTS];
    double real[ELEMENTS];
    short small[ELEMENTS];
};

/* Adds one to each element of the target, in vectors. */
static void add_ones(MPI_Win win, int target)
{
    long long count[ELEMENTS];
    double real[ELEMENTS];
    short small[ELEMENTS];

    for (int i = 0; i < ELEMENTS; i++)
        count[i] = 1, real[i] = 1, small[i] = 1;
    CHECK_EQ(MPI_Accumulate(count, ELEMENTS, MPI_LONG_LONG, target, offsetof(struct memory, count), ELEMENTS,
                            MPI_LONG_LONG, MPI_SUM, win),
             MPI_SUCCESS);
    CHECK_EQ(MPI_Accumulate(real, ELEMENTS, MPI_DOUBLE, target, offsetof(struct memory, real), ELEMENTS,
                            MPI_DOUBLE, MPI_SUM, win),
             MPI_SUCCESS);
    CHECK_EQ(MPI_Accumulate(small, ELEMENTS, MPI_SHORT, target, offsetof(struct memory, small), ELEMENTS,
                            MPI_SHORT, MPI_SUM, win),
             MPI_SUCCESS);
}

static void in_fences(MPI_Win win, int target)
{
    CHECK_EQ(MPI_Win_fence(0, win), MPI_SUCCESS);
    for (int i = 0; i < ROUNDS; i++)
        add_ones(win, target);
    CHECK_EQ(MPI_Win_fence(MPI_MODE_NOSUCCEED, win), MPI_SUCCESS);
}

static void in_starts(MPI_Win win, int target)
{
    MPI_Group all;

    CHECK_EQ(MPI_Win_get_group(win, &all), MPI_SUCCESS);
    CHECK_EQ(MPI_Win_post(all, 0, win), MPI_SUCCESS);
    CHECK_EQ(MPI_Win_start(all, 0, win), MPI_SUCCESS);
    for (int i = 0; i < ROUNDS; i++)
        add_ones(win, target);
    CHECK_EQ(MPI_Win_complete(win), MPI_SUCCESS);
    CHECK_EQ(MPI_Win_wait(win), MPI_SUCCESS);
    CHECK_EQ(MPI_Group_free(&all), MPI_SUCCESS);
}

static void in_locks(MPI_Win win, int target)
{
    for (int i = 0; i < ROUNDS; i++) {
        CHECK_EQ(MPI_Win_lock(MPI_LOCK_SHARED, target, 0, win), MPI_SUCCESS);
        add_ones(win, target);
        CHECK_EQ(MPI_Win_unlock(target, win), MPI_SUCCESS);
    }
    CHECK_EQ(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS);
    CHECK_EQ(MPI_Win_lock(MPI_LOCK_SHARED, rank_in(MPI_COMM_WORLD), 0, win), MPI_SUCCESS);
    CHECK_EQ(MPI_Win_unlock(rank_in(MPI_COMM_WORLD), win), MPI_SUCCESS);
}

static void expect_all(const struct memory *m, int value)
{
    for (int i = 0; i < ELEMENTS; i++) {
        CHECK_EQ(m->count[i], value);
        CHECK(m->real[i] == value);
        CHECK_EQ(m->small[i], value);
    }
}

static void run(int is_allocated, const char *const *promise)
{
    MPI_Info info = promise[0] ? info_with(promise[0], promise[1]) : MPI_INFO_NULL;
    struct memory own, *memory = &own;
    int size = size_of(MPI_COMM_WORLD), target = size - 1,
        locks = !promise[0] || strcmp(promise[0], NO_LOCKS);
    int sum = (2 + locks) * ROUNDS * size;
    MPI_Win win;

    if (is_allocated)
        CHECK_EQ(MPI_Win_allocate(sizeof own, 1, info, MPI_COMM_WORLD, &memory, &win), MPI_SUCCESS);
    else
        CHECK_EQ(MPI_Win_create(memory, sizeof own, 1, info, MPI_COMM_WORLD, &win), MPI_SUCCESS);
    memset(memory, 0, sizeof own);
    in_fences(win, target);
    in_starts(win, target);
    CHECK_EQ(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS);
    if (locks)
        in_locks(win, target);
    expect_all(memory, rank_in(MPI_COMM_WORLD) == target ? sum : 0);
    win_done(win);
    if (promise[0])
        CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);
}

int main(int argc, char **argv)
{
    CHECK_EQ(MPI_Init(&argc, &argv), MPI_SUCCESS);
    for (size_t i = 0; i < sizeof promises / sizeof *promises; i++) {
        run(1, promises[i]);
        run(0, promises[i]);
    }
    CHECK_EQ(MPI_Finalize(), MPI_SUCCESS);
    return 0;
}
