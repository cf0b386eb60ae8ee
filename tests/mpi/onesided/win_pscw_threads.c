/* ranks: 2 3 4 timeout: 60 also: INKLING_CMA=false also: INKLING_TRANSPORT=ofi */
/* Epochs of MPI_Win_start and MPI_Win_post in threads: threads that all access a target first, before it has posted; two
 * windows at once; both sides of one window in threads of their own. */
#include "win.h"

#include <unistd.h>

enum {
    THREADS = 4,
    EARLY = 40,
    ROUNDS = 200
};

static MPI_Group world;
static struct window window[2];
static int is_early; /* how far the threads of early_accesses have come */

static MPI_Group group_of(int member)
{
    MPI_Group group;

    OK(MPI_Group_incl(world, 1, &member, &group));
    return group;
}

static int int_at(const struct window *w, int i)
{
    int value;

    memcpy(&value, w->base + i * (int)sizeof value, sizeof value);
    return value;
}

/* Item THREADS is what the target stores before it posts. */
static void *access_early(void *arg)
{
    static int value[THREADS], got[THREADS];
    int me = (int)(intptr_t)arg;

    value[me] = 10 * is_early + me;
    if (me % 2) {
        OK(MPI_Put(&value[me], 1, MPI_INT, 0, window_at(&window[0], 0, me), 1, MPI_INT, window[0].win));
        return arg;
    }
    OK(MPI_Get_accumulate(NULL, 0, MPI_INT, &got[me], 1, MPI_INT, 0, window_at(&window[0], 0, THREADS), 1,
                          MPI_INT, MPI_NO_OP, window[0].win));
    OK(MPI_Put(&value[me], 1, MPI_INT, 0, window_at(&window[0], 0, me), 1, MPI_INT, window[0].win));
    return arg;
}

/* The target finds nothing in its memory before it posts, and everything after it has waited. */
static void expose_late(MPI_Group origin, int round)
{
    for (int pause = 0; pause < 5; pause++) {
        for (int i = 0; i < THREADS; i++)
            CHECK_EQ(int_at(&window[0], i), -1);
        usleep((unsigned)(round % 4) * 100);
    }
    OK(MPI_Win_post(origin, 0, window[0].win));
    OK(MPI_Win_wait(window[0].win));
    for (int i = 0; i < THREADS; i++)
        CHECK_EQ(int_at(&window[0], i), 10 * round + i);
    memset(window[0].base, 0xff, THREADS * sizeof(int));
}

static void early_accesses(void)
{
    MPI_Group other = group_of(rank == 0);

    memset(window[0].base, 0xff, THREADS * sizeof(int));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    for (is_early = 0; is_early < EARLY && rank < 2; is_early++) {
        if (rank == 0) {
            expose_late(other, is_early);
            continue;
        }
        OK(MPI_Win_start(other, 0, window[0].win));
        run_threads(access_early, THREADS);
        OK(MPI_Win_complete(window[0].win));
    }
    OK(MPI_Group_free(&other));
    OK(MPI_Barrier(MPI_COMM_WORLD));
}

static void post_and_wait(const struct window *w, MPI_Group origins, int by_test)
{
    int flag = 0;

    OK(MPI_Win_post(origins, 0, w->win));
    while (by_test && !flag)
        OK(MPI_Win_test(w->win, &flag));
    if (!flag)
        OK(MPI_Win_wait(w->win));
}

static void put_to(const struct window *w, MPI_Group targets, int target, int value)
{
    OK(MPI_Win_start(targets, 0, w->win));
    OK(MPI_Put(&value, 1, MPI_INT, target, window_at(w, target, 0), 1, MPI_INT, w->win));
    OK(MPI_Win_complete(w->win));
}

/* Each thread sends a token round in a window of its own, in its own direction. */
static void *go_round(void *arg)
{
    int me = (int)(intptr_t)arg, to = (rank + (me ? size - 1 : 1)) % size;
    int from = (rank + (me ? 1 : size - 1)) % size;
    MPI_Group targets = group_of(to), origins = group_of(from);

    for (int round = 0; round < ROUNDS; round++) {
        if (rank == 0)
            put_to(&window[me], targets, to, round);
        post_and_wait(&window[me], origins, round % 3 == 0);
        CHECK_EQ(int_at(&window[me], 0), round);
        if (rank != 0)
            put_to(&window[me], targets, to, round);
    }
    OK(MPI_Group_free(&targets));
    OK(MPI_Group_free(&origins));
    return arg;
}

/* One thread is the origin of all epochs, the other the target. */
static void *take_side(void *arg)
{
    int to = (rank + 1) % size, from = (rank + size - 1) % size;
    MPI_Group targets = group_of(to), origins = group_of(from);

    for (int round = 0; round < ROUNDS; round++)
        if (arg) {
            put_to(&window[0], targets, to, 100 * round + rank);
        } else {
            post_and_wait(&window[0], origins, round % 3 == 0);
            CHECK_EQ(int_at(&window[0], 0), 100 * round + from);
        }
    OK(MPI_Group_free(&targets));
    OK(MPI_Group_free(&origins));
    return arg;
}

int main(int argc, char **argv)
{
    int provided;

    OK(MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided));
    CHECK_EQ(provided, MPI_THREAD_MULTIPLE);
    OK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    OK(MPI_Comm_size(MPI_COMM_WORLD, &size));
    OK(MPI_Comm_group(MPI_COMM_WORLD, &world));
    for (enum way way = CREATED; way <= ALLOCATED; way += ALLOCATED) {
        for (int i = 0; i < 2; i++)
            CHECK(window_open(&window[i], way, (THREADS + 1) * (MPI_Aint)sizeof(int), sizeof(int),
                              MPI_INFO_NULL, MPI_COMM_WORLD));
        early_accesses();
        run_threads(go_round, 2);
        OK(MPI_Barrier(MPI_COMM_WORLD));
        run_threads(take_side, 2);
        for (int i = 0; i < 2; i++)
            window_close(&window[i]);
    }
    OK(MPI_Group_free(&world));
    OK(MPI_Finalize());
    return 0;
}
