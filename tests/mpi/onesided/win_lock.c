/* ranks: 1 2 4 8 timeout: 120 also: INKLING_CMA=false also: INKLING_TRANSPORT=ofi */
/* MPI_Win_lock and lock_all: an exclusive lock keeps everybody else out, shared ones do not keep each other
 * out, and a lock of one rank's memory says nothing of another one's. Counters are got, increased and put, or
 * loaded and stored, and are right only under an exclusive lock. More ranks than cores. */
#include "win.h"

#include <unistd.h>

enum {
    TURNS = 150
};

/* Get, add, put, with a flush between; on two items, that nobody may ever find unequal. */
static void exclusive_counter(const struct window *w, int owner)
{
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, w->win));
    memset(w->base, 0, 64);
    OK(MPI_Win_unlock(rank, w->win));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    for (int i = 0; i < TURNS; i++) {
        int both[2] = {-1, -2};

        OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, owner, 0, w->win));
        OK(MPI_Get(both, 2, MPI_INT, owner, window_at(w, owner, 0), 2, MPI_INT, w->win));
        OK(MPI_Win_flush(owner, w->win));
        CHECK_EQ(both[0], both[1]);
        both[0]++;
        both[1]++;
        OK(MPI_Put(&both[0], 1, MPI_INT, owner, window_at(w, owner, 0), 1, MPI_INT, w->win));
        OK(MPI_Put(&both[1], 1, MPI_INT, owner, window_at(w, owner, 1), 1, MPI_INT, w->win));
        OK(MPI_Win_unlock(owner, w->win));
    }
    OK(MPI_Barrier(MPI_COMM_WORLD));
    if (rank == owner) {
        OK(MPI_Win_lock(MPI_LOCK_SHARED, owner, 0, w->win));
        CHECK_EQ(*(int *)(void *)w->base, TURNS * size);
        OK(MPI_Win_unlock(owner, w->win));
    }
    OK(MPI_Barrier(MPI_COMM_WORLD));
}

/* The owner uses loads and stores under the lock of its own memory. */
static void owner_loads_and_stores(const struct window *w)
{
    int owner = 0, value;

    OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, w->win));
    memset(w->base, 0, 64);
    OK(MPI_Win_unlock(rank, w->win));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    for (int i = 0; i < TURNS; i++) {
        OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, owner, 0, w->win));
        if (rank == owner) {
            ++*(volatile int *)(void *)w->base;
        } else {
            OK(MPI_Get(&value, 1, MPI_INT, owner, window_at(w, owner, 0), 1, MPI_INT, w->win));
            OK(MPI_Win_flush_local(owner, w->win));
            value++;
            OK(MPI_Put(&value, 1, MPI_INT, owner, window_at(w, owner, 0), 1, MPI_INT, w->win));
        }
        OK(MPI_Win_unlock(owner, w->win));
    }
    OK(MPI_Barrier(MPI_COMM_WORLD));
    if (rank == owner) {
        OK(MPI_Win_lock(MPI_LOCK_SHARED, owner, 0, w->win));
        CHECK_EQ(*(int *)(void *)w->base, TURNS * size);
        OK(MPI_Win_unlock(owner, w->win));
    }
    OK(MPI_Barrier(MPI_COMM_WORLD));
}

/* Readers under shared locks never see half of what a writer under an exclusive one puts, item by item. */
static void readers_and_writers(const struct window *w)
{
    OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, w->win));
    memset(w->base, 0, 64);
    OK(MPI_Win_unlock(rank, w->win));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    for (int i = 0; i < TURNS; i++) {
        int owner = i % size, items[8];

        if (rank % 2) {
            for (int k = 0; k < 8; k++)
                items[k] = i * size + rank;
            OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, owner, 0, w->win));
            for (int k = 0; k < 8; k++)
                OK(MPI_Put(&items[k], 1, MPI_INT, owner, window_at(w, owner, k), 1, MPI_INT, w->win));
            OK(MPI_Win_unlock(owner, w->win));
        } else {
            OK(MPI_Win_lock(MPI_LOCK_SHARED, owner, 0, w->win));
            for (int k = 0; k < 8; k++)
                OK(MPI_Get(&items[k], 1, MPI_INT, owner, window_at(w, owner, k), 1, MPI_INT, w->win));
            OK(MPI_Win_unlock(owner, w->win));
            for (int k = 1; k < 8; k++)
                CHECK_EQ(items[k], items[0]);
        }
    }
    OK(MPI_Barrier(MPI_COMM_WORLD));
}

/* All hold a shared lock at once: a barrier inside says that they do. */
static void shared_locks_meet(const struct window *w)
{
    for (int owner = 0; owner < size; owner++) {
        OK(MPI_Win_lock(MPI_LOCK_SHARED, owner, 0, w->win));
        OK(MPI_Barrier(MPI_COMM_WORLD));
        OK(MPI_Win_unlock(owner, w->win));
    }
    OK(MPI_Win_lock_all(0, w->win));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Win_unlock_all(w->win));
    OK(MPI_Barrier(MPI_COMM_WORLD));
}

/* Rank 0 holds rank 0's memory exclusively; each other memory is free meanwhile, and exclusive locks of
 * different ones can be held together by one process. */
static void locks_of_ranks_are_apart(const struct window *w)
{
    int value = rank + 1, *memory = (int *)(void *)w->base;

    OK(MPI_Barrier(MPI_COMM_WORLD));
    memset(w->base, 0, 64);
    OK(MPI_Barrier(MPI_COMM_WORLD));

    if (rank == 0)
        OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, w->win));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    for (int to = size - 1; to > 0; to--) {
        OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, to, 0, w->win));
        OK(MPI_Put(&value, 1, MPI_INT, to, window_at(w, to, rank), 1, MPI_INT, w->win));
        OK(MPI_Win_unlock(to, w->win));
    }
    OK(MPI_Barrier(MPI_COMM_WORLD));
    if (rank == 0) {
        for (int to = 1; to < size; to++)
            OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, to, 0, w->win));
        for (int to = 0; to < size; to++)
            OK(MPI_Put(&value, 1, MPI_INT, to, window_at(w, to, 15), 1, MPI_INT, w->win));
        for (int to = 0; to < size; to++)
            OK(MPI_Win_unlock(to, w->win));
    }
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, w->win));
    for (int r = 0; r < size; r++)
        CHECK_EQ(memory[r], rank ? r + 1 : 0);
    CHECK_EQ(memory[15], 1);
    OK(MPI_Win_unlock(rank, w->win));
    OK(MPI_Barrier(MPI_COMM_WORLD));
}

/* Who locks waits for who holds, also where it is lock_all that waits or that is waited for; on memory that
 * is loaded and stored, MPI_Win_lock itself waits. Rank 0 changes what it holds at leisure. */
static void waits_for_the_holder(const struct window *w, int all_waits)
{
    volatile int *memory = (volatile int *)(void *)w->base;
    int got = -1;

    if (rank == 0) {
        OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, w->win));
        memory[0] = 1;
    }
    OK(MPI_Barrier(MPI_COMM_WORLD));
    if (rank == 0) {
        usleep(20000);
        memory[0] = 2;
        OK(MPI_Win_unlock(0, w->win));
    } else {
        if (all_waits)
            OK(MPI_Win_lock_all(0, w->win));
        else
            OK(MPI_Win_lock(rank % 2 ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE, 0, 0, w->win));
        OK(MPI_Get(&got, 1, MPI_INT, 0, window_at(w, 0, 0), 1, MPI_INT, w->win));
        OK(all_waits ? MPI_Win_unlock_all(w->win) : MPI_Win_unlock(0, w->win));
        CHECK_EQ(got, 2);
    }
    OK(MPI_Barrier(MPI_COMM_WORLD));
}

/* Everybody else is inside lock_all; the one that wants rank 0's memory alone gets it when they have left. */
static void exclusive_waits_for_lock_all(const struct window *w)
{
    int value = 3, got = 0;

    OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, w->win));
    memset(w->base, 0, 64);
    OK(MPI_Win_unlock(rank, w->win));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    if (rank)
        OK(MPI_Win_lock_all(0, w->win));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    if (rank == 0) {
        OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, w->win));
        for (int i = 1; i < size; i++)
            CHECK_EQ(((volatile int *)(void *)w->base)[i], 3);
        OK(MPI_Win_unlock(0, w->win));
    } else {
        usleep(20000);
        OK(MPI_Put(&value, 1, MPI_INT, 0, window_at(w, 0, rank), 1, MPI_INT, w->win));
        OK(MPI_Get(&got, 1, MPI_INT, 0, window_at(w, 0, 0), 1, MPI_INT, w->win));
        OK(MPI_Win_unlock_all(w->win));
    }
    OK(MPI_Barrier(MPI_COMM_WORLD));
}

/* MPI_MODE_NOCHECK: a token keeps the ranks apart, the lock does not need to. */
static void without_check(const struct window *w)
{
    int value, token = 0, before = (rank + size - 1) % size, after = (rank + 1) % size;

    for (int round = 0; round < 10; round++) {
        if (round || rank)
            OK(MPI_Recv(&token, 1, MPI_INT, before, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, MPI_MODE_NOCHECK, w->win));
        value = token++;
        OK(MPI_Put(&value, 1, MPI_INT, 0, window_at(w, 0, 0), 1, MPI_INT, w->win));
        OK(MPI_Win_flush(0, w->win));
        OK(MPI_Get(&value, 1, MPI_INT, 0, window_at(w, 0, 0), 1, MPI_INT, w->win));
        OK(MPI_Win_unlock(0, w->win));
        CHECK_EQ(value, token - 1);
        if (round < 9 || rank < size - 1) {
            if (size == 1)
                OK(MPI_Sendrecv_replace(&token, 1, MPI_INT, 0, 1, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
            else
                OK(MPI_Send(&token, 1, MPI_INT, after, 0, MPI_COMM_WORLD));
        }
        if (size == 1)
            break;
    }
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Win_lock_all(MPI_MODE_NOCHECK, w->win));
    value = 50 + rank;
    OK(MPI_Put(&value, 1, MPI_INT, 0, window_at(w, 0, rank), 1, MPI_INT, w->win));
    OK(MPI_Win_unlock_all(w->win));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, w->win));
    for (int r = 0; r < size && rank == 0; r++)
        CHECK_EQ(((int *)(void *)w->base)[r], 50 + r);
    OK(MPI_Win_unlock(rank, w->win));
    OK(MPI_Barrier(MPI_COMM_WORLD));
}

int main(int argc, char **argv)
{
    set_up(&argc, &argv);
    for (enum way way = 0; way < WAYS; way++) {
        struct window w;

        if (!window_open(&w, way, 64, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD))
            continue;
        exclusive_counter(&w, 0);
        exclusive_counter(&w, size - 1);
        owner_loads_and_stores(&w);
        readers_and_writers(&w);
        shared_locks_meet(&w);
        locks_of_ranks_are_apart(&w);
        waits_for_the_holder(&w, 0);
        waits_for_the_holder(&w, 1);
        exclusive_waits_for_lock_all(&w);
        without_check(&w);
        window_close(&w);
    }
    MPI_Finalize();
    return 0;
}
