/* ranks: 66 timeout: 60 */
/* MPI_Win_post, start, complete, wait and test of more ranks than a word has bits: in rings of all distances and in stars. */
#include "win.h"

enum {
    ROUNDS = 6
};

static MPI_Group world;

static MPI_Group group_of(int member)
{
    MPI_Group group;

    OK(MPI_Group_incl(world, 1, &member, &group));
    return group;
}

static int first_int(const struct window *w)
{
    int value;

    memcpy(&value, w->base, sizeof value);
    return value;
}

static void ring(const struct window *w, int distance)
{
    int to = (rank + distance) % size, from = (rank + size - distance) % size;
    MPI_Group targets = group_of(to), origins = group_of(from);

    for (int round = 0; round < ROUNDS; round++) {
        int value = 100 * round + rank, flag = 0;

        OK(MPI_Win_post(origins, 0, w->win));
        OK(MPI_Win_start(targets, 0, w->win));
        OK(MPI_Put(&value, 1, MPI_INT, to, window_at(w, to, 0), 1, MPI_INT, w->win));
        OK(MPI_Win_complete(w->win));
        while (!flag && round % 2)
            OK(MPI_Win_test(w->win, &flag));
        if (!flag)
            OK(MPI_Win_wait(w->win));
        CHECK_EQ(first_int(w), 100 * round + from);
    }
    OK(MPI_Group_free(&targets));
    OK(MPI_Group_free(&origins));
}

/* The root exposes to all others. */
static void star(const struct window *w, int root)
{
    MPI_Group only = group_of(root), others;

    OK(MPI_Group_excl(world, 1, &root, &others));
    for (int round = 0; round < ROUNDS; round++) {
        int got = -1;

        if (rank == root) {
            got = 10 * round + root;
            memcpy(w->base, &got, sizeof got);
            OK(MPI_Win_post(others, 0, w->win));
            OK(MPI_Win_wait(w->win));
            continue;
        }
        OK(MPI_Win_start(only, 0, w->win));
        OK(MPI_Get(&got, 1, MPI_INT, root, window_at(w, root, 0), 1, MPI_INT, w->win));
        OK(MPI_Win_complete(w->win));
        CHECK_EQ(got, 10 * round + root);
    }
    OK(MPI_Group_free(&only));
    OK(MPI_Group_free(&others));
}

int main(int argc, char **argv)
{
    set_up(&argc, &argv);
    OK(MPI_Comm_group(MPI_COMM_WORLD, &world));
    for (enum way way = IN_HEAP; way <= ALLOCATED; way++) {
        struct window w;

        CHECK(window_open(&w, way, 64, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD));
        for (int distance = 0; distance < size; distance += 1 + distance)
            ring(&w, distance);
        star(&w, 0);
        star(&w, size - 1);
        window_close(&w);
    }
    OK(MPI_Group_free(&world));
    MPI_Finalize();
    return 0;
}
