/* ranks: 1 2 4 also: INKLING_TRANSPORT=ofi */
/* Making and freeing windows: sizes that differ or are 0, units that differ, one communicator or several at
 * once, freed before their windows or not; hundreds of windows, one after the other and together. */
#include "win.h"

/* Rank r has 8 (r % 3) bytes: some have none, and say so with NULL. Units differ too. */
static void sizes_and_units_differ(void)
{
    static const int units[] = {1, 8, 2};
    double memory[2] = {0, 0}, x = 1.5 + rank, got = -1;
    int to = (rank + 1) % size, from = (rank + size - 1) % size;
    MPI_Win win;

    OK(MPI_Win_create(rank % 3 ? memory : NULL, 8 * (rank % 3), units[rank % 3], MPI_INFO_NULL,
                      MPI_COMM_WORLD, &win));
    OK(MPI_Win_fence(0, win));
    if (to % 3 == 1) /* one double, at displacement 0 of 8 bytes */
        OK(MPI_Put(&x, 1, MPI_DOUBLE, to, 0, 1, MPI_DOUBLE, win));
    if (to % 3 == 2) /* the second one, at displacement 4 of 2 bytes */
        OK(MPI_Put(&x, 1, MPI_DOUBLE, to, 4, 1, MPI_DOUBLE, win));
    if (to % 3 == 0) /* nothing can be put where nothing is */
        OK(MPI_Put(&x, 0, MPI_DOUBLE, to, 0, 0, MPI_DOUBLE, win));
    OK(MPI_Win_fence(0, win));
    CHECK(memory[0] == (rank % 3 == 1 ? 1.5 + from : 0));
    CHECK(memory[1] == (rank % 3 == 2 ? 1.5 + from : 0));
    if (to % 3)
        OK(MPI_Get(&got, 1, MPI_DOUBLE, to, to % 3 == 1 ? 0 : 4, 1, MPI_DOUBLE, win));
    OK(MPI_Win_fence(0, win));
    CHECK(got == (to % 3 ? x : -1));
    OK(MPI_Win_free(&win));
}

static void nobody_has_memory(void)
{
    MPI_Win win;
    int *base = NULL;

    OK(MPI_Win_create(NULL, 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    OK(MPI_Win_fence(0, win));
    OK(MPI_Win_fence(0, win));
    OK(MPI_Win_free(&win));
    OK(MPI_Win_allocate(0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
    OK(MPI_Win_lock_all(0, win));
    OK(MPI_Win_unlock_all(win));
    OK(MPI_Win_free(&win));
}

/* As the standard asks of MPI_Alloc_mem: for loads and stores of any predefined type. */
static void allocated_memory_is_aligned(void)
{
    for (int bytes = 1; bytes < 100000; bytes = 3 * bytes + 1) {
        unsigned char *base = NULL;
        MPI_Win win;

        OK(MPI_Win_allocate(bytes + rank, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
        CHECK_EQ((uintptr_t)base % _Alignof(long double), 0);
        memset(base, rank, (size_t)(bytes + rank));
        OK(MPI_Win_free(&win));
    }
}

static void put_around(MPI_Win win, const int *memory, MPI_Comm comm, int value)
{
    int me, members;

    OK(MPI_Comm_rank(comm, &me));
    OK(MPI_Comm_size(comm, &members));
    value += me;
    OK(MPI_Win_fence(0, win));
    OK(MPI_Put(&value, 1, MPI_INT, (me + 1) % members, 0, 1, MPI_INT, win));
    OK(MPI_Win_fence(0, win));
    CHECK_EQ(*memory, value - me + (me + members - 1) % members);
}

/* Ranks are those of the communicator, whatever others a process has. */
static void windows_of_two_communicators(void)
{
    int whole = 0, half = 0, self = 0;
    MPI_Comm back, part;
    MPI_Win win[3];

    OK(MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &back));
    OK(MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &part));
    OK(MPI_Win_create(&whole, sizeof whole, sizeof whole, MPI_INFO_NULL, back, &win[0]));
    OK(MPI_Win_create(&half, sizeof half, sizeof half, MPI_INFO_NULL, part, &win[1]));
    OK(MPI_Win_create(&self, sizeof self, sizeof self, MPI_INFO_NULL, MPI_COMM_SELF, &win[2]));
    for (int round = 0; round < 3; round++) {
        put_around(win[0], &whole, back, 100 * round);
        put_around(win[1], &half, part, 200 * round);
        put_around(win[2], &self, MPI_COMM_SELF, 300 * round);
    }
    for (int i = 2; i >= 0; i--)
        OK(MPI_Win_free(&win[i]));
    OK(MPI_Comm_free(&back));
    OK(MPI_Comm_free(&part));
}

static void communicator_is_freed_first(void)
{
    MPI_Comm comm;
    MPI_Win win;
    int memory = 0;

    OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    OK(MPI_Win_create(&memory, sizeof memory, sizeof memory, MPI_INFO_NULL, comm, &win));
    OK(MPI_Comm_free(&comm));
    put_around(win, &memory, MPI_COMM_WORLD, 7);
    OK(MPI_Win_free(&win));
}

/* A window's synchronisation takes no message of the communicator that it was made on, nor of another. */
static void messages_and_windows_do_not_meet(void)
{
    int memory = 0, sent = rank, got = -1, to = (rank + 1) % size, from = (rank + size - 1) % size;
    MPI_Request request[2];
    MPI_Win win;

    OK(MPI_Irecv(&got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &request[0]));
    OK(MPI_Win_create(&memory, sizeof memory, sizeof memory, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    put_around(win, &memory, MPI_COMM_WORLD, 50);
    CHECK_EQ(got, -1);
    OK(MPI_Win_fence(0, win)); /* nobody sends before all have looked */
    OK(MPI_Isend(&sent, 1, MPI_INT, to, 3, MPI_COMM_WORLD, &request[1]));
    put_around(win, &memory, MPI_COMM_WORLD, 60);
    OK(MPI_Win_free(&win));
    OK(MPI_Waitall(2, request, MPI_STATUSES_IGNORE));
    CHECK_EQ(got, from);
}

enum {
    MANY = 300
};

static void many_windows_in_turn(void)
{
    for (int i = 0; i < MANY; i++) {
        struct window w;

        if (!window_open(&w, (enum way)(i % WAYS), 64 * (1 + i % 50), 4, MPI_INFO_NULL, MPI_COMM_WORLD))
            continue;
        if (w.way != DYNAMIC)
            put_around(w.win, (int *)(void *)w.base, MPI_COMM_WORLD, i);
        window_close(&w);
    }
}

static void many_windows_together(void)
{
    static MPI_Win win[MANY];
    static int *memory[MANY];

    for (int i = 0; i < MANY; i++)
        OK(MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory[i], &win[i]));
    for (int i = 0; i < MANY; i++)
        put_around(win[i], memory[i], MPI_COMM_WORLD, i);
    for (int i = 0; i < MANY; i++)
        CHECK_EQ(*memory[i], i + (rank + size - 1) % size);
    for (int i = 0; i < MANY; i++) /* in another order, the same on all ranks */
        OK(MPI_Win_free(&win[(i * 7 + 3) % MANY]));
    for (int i = 0; i < MANY; i++)
        CHECK_EQ(win[i], MPI_WIN_NULL);
}

int main(int argc, char **argv)
{
    set_up(&argc, &argv);
    sizes_and_units_differ();
    nobody_has_memory();
    allocated_memory_is_aligned();
    windows_of_two_communicators();
    communicator_is_freed_first();
    messages_and_windows_do_not_meet();
    many_windows_in_turn();
    many_windows_together();
    MPI_Finalize();
    return 0;
}
