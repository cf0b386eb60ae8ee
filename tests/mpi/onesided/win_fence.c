/* ranks: 1 2 4 8 timeout: 120 also: INKLING_CMA=false also: INKLING_TRANSPORT=ofi */
/* MPI_Win_fence: what was put before it is there after it, and nothing that is put after it comes before it;
 * with each assertion that a program can truthfully give; windows whose fences take turns; a late rank. */
#include "win.h"

#include <unistd.h>

enum {
    ROUNDS = 200
};

/* Each round's value is another one: nothing of the next round may be seen in this one. */
static void rounds(const struct window *w, int first, int middle, int last)
{
    int *memory = (int *)(void *)w->base, got;

    for (int round = 1; round <= ROUNDS; round++) {
        int value = 1000 * round + rank, to = (rank + round) % size, from;

        OK(MPI_Win_fence(first, w->win));
        OK(MPI_Put(&value, 1, MPI_INT, to, window_at(w, to, 0), 1, MPI_INT, w->win));
        OK(MPI_Win_fence(middle, w->win));
        from = (rank + size - round % size) % size;
        CHECK_EQ(memory[0], 1000 * round + from);
        OK(MPI_Get(&got, 1, MPI_INT, to, window_at(w, to, 0), 1, MPI_INT, w->win));
        OK(MPI_Win_fence(last, w->win));
        CHECK_EQ(got, value);
    }
}

/* The example of MPI-5.0, 12.8: stores between fences, puts between others. */
static void stores_and_puts_take_turns(const struct window *w)
{
    int *memory = (int *)(void *)w->base, left = (rank + size - 1) % size, right = (rank + 1) % size;

    for (int i = 0; i < 3; i++)
        memory[i] = rank;
    for (int round = 1; round < ROUNDS; round++) {
        memory[1] = rank + round; /* update; 0 and 2 are the neighbours' */
        OK(MPI_Win_fence(MPI_MODE_NOPRECEDE, w->win));
        OK(MPI_Put(&memory[1], 1, MPI_INT, left, window_at(w, left, 2), 1, MPI_INT, w->win));
        OK(MPI_Put(&memory[1], 1, MPI_INT, right, window_at(w, right, 0), 1, MPI_INT, w->win));
        OK(MPI_Win_fence(MPI_MODE_NOSTORE | MPI_MODE_NOSUCCEED, w->win));
        CHECK_EQ(memory[0], left + round);
        CHECK_EQ(memory[2], right + round);
        memory[1] = rank + round + 1;
        OK(MPI_Win_fence(MPI_MODE_NOPUT | MPI_MODE_NOPRECEDE, w->win));
        OK(MPI_Get(&memory[0], 1, MPI_INT, left, window_at(w, left, 1), 1, MPI_INT, w->win));
        OK(MPI_Get(&memory[2], 1, MPI_INT, right, window_at(w, right, 1), 1, MPI_INT, w->win));
        OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, w->win));
        CHECK_EQ(memory[0], left + round + 1);
        CHECK_EQ(memory[2], right + round + 1);
    }
}

/* Not everybody communicates, and fences that close nothing may follow each other. */
static void fences_without_communication(const struct window *w)
{
    int value = -1;

    for (int round = 0; round < ROUNDS; round++) {
        OK(MPI_Win_fence(0, w->win));
        OK(MPI_Win_fence(MPI_MODE_NOPRECEDE | MPI_MODE_NOSUCCEED, w->win));
        OK(MPI_Win_fence(MPI_MODE_NOSTORE | MPI_MODE_NOPRECEDE | (rank > 0 ? MPI_MODE_NOPUT : 0), w->win));
        value = round;
        if (rank == round % size)
            OK(MPI_Put(&value, 1, MPI_INT, 0, window_at(w, 0, 0), 1, MPI_INT, w->win));
        OK(MPI_Win_fence(0, w->win));
        if (rank == 0)
            CHECK_EQ(*(int *)(void *)w->base, value);
    }
}

static void two_windows(const struct window *a, const struct window *b)
{
    int to = (rank + 1) % size, from = (rank + size - 1) % size;

    OK(MPI_Win_fence(0, a->win));
    OK(MPI_Win_fence(0, b->win));
    for (int round = 0; round < ROUNDS; round++) {
        int x = round + rank, y = -round - rank;

        OK(MPI_Put(&x, 1, MPI_INT, to, window_at(a, to, 0), 1, MPI_INT, a->win));
        OK(MPI_Put(&y, 1, MPI_INT, to, window_at(b, to, 0), 1, MPI_INT, b->win));
        OK(MPI_Win_fence(0, a->win));
        CHECK_EQ(*(int *)(void *)a->base, round + from);
        OK(MPI_Win_fence(0, b->win));
        CHECK_EQ(*(int *)(void *)b->base, -round - from);
        OK(MPI_Win_fence(0, b->win)); /* all have looked: the next puts may come */
        OK(MPI_Win_fence(0, a->win));
    }
}

/* One rank is late: nobody's put reaches it before its own fence. */
static void late_rank(const struct window *w)
{
    int late = size - 1, value = 99, *memory = (int *)(void *)w->base;

    OK(MPI_Win_fence(0, w->win));
    memory[0] = 1;
    OK(MPI_Win_fence(0, w->win));
    OK(MPI_Win_fence(0, w->win));
    if (rank == late) {
        usleep(100000);
        CHECK_EQ(memory[0], 1);
        memory[0] = 2; /* still its own */
    }
    OK(MPI_Win_fence(0, w->win));
    if (rank == 0 && late)
        OK(MPI_Put(&value, 1, MPI_INT, late, window_at(w, late, 0), 1, MPI_INT, w->win));
    OK(MPI_Win_fence(0, w->win));
    if (rank == late)
        CHECK_EQ(memory[0], late ? 99 : 2);
}

int main(int argc, char **argv)
{
    set_up(&argc, &argv);
    for (enum way way = 0; way < WAYS; way++) {
        struct window w, other;

        if (!window_open(&w, way, 64, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD))
            continue;
        CHECK(window_open(&other, ALLOCATED, 64, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD));
        rounds(&w, 0, 0, 0);
        rounds(&w, MPI_MODE_NOPRECEDE | MPI_MODE_NOSTORE, MPI_MODE_NOSTORE | MPI_MODE_NOPUT,
               MPI_MODE_NOSTORE | MPI_MODE_NOSUCCEED);
        stores_and_puts_take_turns(&w);
        fences_without_communication(&w);
        two_windows(&w, &other);
        late_rank(&w);
        window_close(&w);
        window_close(&other);
    }
    MPI_Finalize();
    return 0;
}
