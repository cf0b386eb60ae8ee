/* ranks: 2 4 8 timeout: 120 also: INKLING_CMA=false also: INKLING_TRANSPORT=ofi */
/* MPI_Win_post, start, complete, wait and test: rings, stars and pairs, groups that are parts of the window's
 * or empty, each assertion, epochs of both sides open at once, and late ranks. */
#include "win.h"

#include <unistd.h>

enum {
    ROUNDS = 200
};

static MPI_Group world;

static MPI_Group group_of(int count, const int *ranks)
{
    MPI_Group group;

    OK(MPI_Group_incl(world, count, ranks, &group));
    return group;
}

static int int_at(const struct window *w, int i)
{
    int value;

    memcpy(&value, w->base + i * (int)sizeof value, sizeof value);
    return value;
}

static void wait_by(int is_test, MPI_Win win)
{
    if (!is_test) {
        OK(MPI_Win_wait(win));
        return;
    }
    for (int flag = 0; !flag;)
        OK(MPI_Win_test(win, &flag));
}

/* Each puts into the next one's window, as in MPI-5.0, 12.7.3: all post first, then start. */
static void ring(const struct window *w, int post, int is_test)
{
    int to = (rank + 1) % size, from = (rank + size - 1) % size;
    MPI_Group targets = group_of(1, &to), origins = group_of(1, &from);

    for (int round = 0; round < ROUNDS; round++) {
        int value = 100 * round + rank;

        OK(MPI_Win_post(origins, post, w->win));
        OK(MPI_Win_start(targets, 0, w->win));
        OK(MPI_Put(&value, 1, MPI_INT, to, window_at(w, to, 1), 1, MPI_INT, w->win));
        OK(MPI_Accumulate(&value, 1, MPI_INT, to, window_at(w, to, 2), 1, MPI_INT, MPI_REPLACE, w->win));
        OK(MPI_Win_complete(w->win));
        wait_by(is_test, w->win);
        CHECK_EQ(int_at(w, 1), 100 * round + from);
        CHECK_EQ(int_at(w, 2), 100 * round + from);
    }
    OK(MPI_Group_free(&targets));
    OK(MPI_Group_free(&origins));
}

/* One exposes to all others, which get and add. The root changes each round; the others know nothing of each
 * other. Groups are freed while their epochs are open. */
static void star(const struct window *w, int is_test)
{
    for (int round = 0; round < ROUNDS; round++) {
        int root = round % size, got = -1, one = 1;
        MPI_Group others, only = group_of(1, &root);

        OK(MPI_Group_excl(world, 1, &root, &others));
        if (rank == root) {
            memcpy(w->base, (int[]){round, 0}, 2 * sizeof(int));
            OK(MPI_Win_post(others, 0, w->win));
            OK(MPI_Group_free(&others));
            OK(MPI_Group_free(&only));
            wait_by(is_test, w->win);
            CHECK_EQ(int_at(w, 1), size - 1);
            continue;
        }
        OK(MPI_Win_start(only, 0, w->win));
        OK(MPI_Group_free(&only));
        OK(MPI_Group_free(&others));
        OK(MPI_Get(&got, 1, MPI_INT, root, window_at(w, root, 0), 1, MPI_INT, w->win));
        OK(MPI_Accumulate(&one, 1, MPI_INT, root, window_at(w, root, 1), 1, MPI_INT, MPI_SUM, w->win));
        OK(MPI_Win_complete(w->win));
        CHECK_EQ(got, round);
    }
}

/* Any graph: from each rank to those at certain distances. All have posted before a barrier, so that start
 * may say MPI_MODE_NOCHECK, as each post does. */
static void graph(const struct window *w, int assertion)
{
    int out[8], in[8], count = 0;
    MPI_Group targets, origins;

    for (int by = 0; by < size; by += 1 + by) {
        out[count] = (rank + by) % size;
        in[count++] = (rank + size - by) % size;
    }
    targets = group_of(count, out);
    origins = group_of(count, in);
    for (int round = 0; round < ROUNDS; round++) {
        int value = 10 * round + rank;

        OK(MPI_Win_post(origins, assertion, w->win));
        OK(MPI_Barrier(MPI_COMM_WORLD));
        OK(MPI_Win_start(targets, assertion & MPI_MODE_NOCHECK, w->win));
        for (int i = 0; i < count; i++)
            OK(MPI_Put(&value, 1, MPI_INT, out[i], window_at(w, out[i], i), 1, MPI_INT, w->win));
        OK(MPI_Win_complete(w->win));
        OK(MPI_Win_wait(w->win));
        for (int i = 0; i < count; i++)
            CHECK_EQ(int_at(w, i), 10 * round + in[i]);
    }
    OK(MPI_Group_free(&targets));
    OK(MPI_Group_free(&origins));
}

/* Empty groups open and close epochs in which nothing happens. */
static void nobody(const struct window *w)
{
    for (int round = 0; round < 3; round++) {
        int flag = 0;

        OK(MPI_Win_post(MPI_GROUP_EMPTY, 0, w->win));
        OK(MPI_Win_start(MPI_GROUP_EMPTY, 0, w->win));
        OK(MPI_Win_complete(w->win));
        OK(MPI_Win_test(w->win, &flag));
        if (!flag)
            OK(MPI_Win_wait(w->win));
    }
}

/* MPI_Win_test says no until the origin has completed, and changes nothing. The origin is called when that
 * is known; posting and starting again before others have looked is no error. */
static void test_says_no(const struct window *w)
{
    int origin = 0, target = 1, flag, go = 0, value = 42;
    MPI_Group one = rank == origin ? group_of(1, &target) : group_of(1, &origin);

    for (int round = 0; round < 20 && size > 1 && rank < 2; round++) {
        if (rank == target) {
            memset(w->base, 0, 4);
            OK(MPI_Win_post(one, 0, w->win));
            for (int i = 0; i < 10; i++) {
                OK(MPI_Win_test(w->win, &flag));
                CHECK_EQ(flag, 0);
            }
            OK(MPI_Send(&go, 1, MPI_INT, origin, 0, MPI_COMM_WORLD));
            wait_by(round % 2, w->win);
            CHECK_EQ(int_at(w, 0), 42);
        } else {
            OK(MPI_Win_start(one, 0, w->win));
            OK(MPI_Put(&value, 1, MPI_INT, target, window_at(w, target, 0), 1, MPI_INT, w->win));
            OK(MPI_Recv(&go, 1, MPI_INT, target, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
            OK(MPI_Win_complete(w->win));
        }
    }
    OK(MPI_Group_free(&one));
}

/* Nothing arrives before the late post; the target's stores before it stay. MPI-5.0, figure 34: the origin's
 * complete waits for nothing but the post, so its message gets the target out of MPI_Recv. */
static void late_post(const struct window *w)
{
    int origin = 0, target = size - 1, value = 7, token;
    MPI_Group one = rank == origin ? group_of(1, &target) : group_of(1, &origin);

    if (rank == target && size > 1) {
        memcpy(w->base, (int[]){1}, sizeof(int));
        usleep(50000);
        CHECK_EQ(int_at(w, 0), 1);
        memcpy(w->base, (int[]){2}, sizeof(int));
        OK(MPI_Win_post(one, 0, w->win));
        OK(MPI_Recv(&token, 1, MPI_INT, origin, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        OK(MPI_Win_wait(w->win));
        CHECK_EQ(int_at(w, 0), 7);
    } else if (rank == origin && size > 1) {
        OK(MPI_Win_start(one, 0, w->win));
        OK(MPI_Put(&value, 1, MPI_INT, target, window_at(w, target, 0), 1, MPI_INT, w->win));
        OK(MPI_Win_complete(w->win));
        OK(MPI_Send(&value, 1, MPI_INT, target, 1, MPI_COMM_WORLD));
    }
    OK(MPI_Group_free(&one));
    OK(MPI_Barrier(MPI_COMM_WORLD));
}

/* Different groups in turn: an origin that is ahead starts its next epoch while the target waits for another
 * one; its complete of that epoch must not be counted for this one. */
static void origins_run_ahead(const struct window *w)
{
    int target = 0, value = rank;
    MPI_Group only = group_of(1, &target);

    for (int round = 0; round < ROUNDS && size > 2; round++) {
        int pair[2] = {1 + round % (size - 1), 1 + (round + 1) % (size - 1)};
        int members = pair[0] == pair[1] ? 1 : 2;
        MPI_Group origins = group_of(members, pair);

        if (rank == target) {
            memset(w->base, 0xff, 64);
            OK(MPI_Win_post(origins, 0, w->win));
            OK(MPI_Win_wait(w->win));
            for (int i = 1; i < size; i++)
                CHECK_EQ(int_at(w, i), i == pair[0] || i == pair[1] ? i : -1);
        } else if (rank == pair[0] || rank == pair[1]) {
            OK(MPI_Win_start(only, 0, w->win));
            OK(MPI_Put(&value, 1, MPI_INT, target, window_at(w, target, rank), 1, MPI_INT, w->win));
            OK(MPI_Win_complete(w->win));
        }
        OK(MPI_Group_free(&origins));
    }
    OK(MPI_Group_free(&only));
    OK(MPI_Barrier(MPI_COMM_WORLD));
}

int main(int argc, char **argv)
{
    set_up(&argc, &argv);
    OK(MPI_Comm_group(MPI_COMM_WORLD, &world));
    for (enum way way = 0; way < WAYS; way++) {
        struct window w;

        if (!window_open(&w, way, 64, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD))
            continue;
        ring(&w, 0, 0);
        ring(&w, MPI_MODE_NOSTORE, 1);
        star(&w, way % 2);
        OK(MPI_Barrier(MPI_COMM_WORLD));
        graph(&w, 0);
        graph(&w, MPI_MODE_NOCHECK | MPI_MODE_NOSTORE);
        nobody(&w);
        test_says_no(&w);
        OK(MPI_Barrier(MPI_COMM_WORLD));
        late_post(&w);
        origins_run_ahead(&w);
        window_close(&w);
    }
    OK(MPI_Group_free(&world));
    MPI_Finalize();
    return 0;
}
