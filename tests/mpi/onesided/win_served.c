/* ranks: 2 3  timeout: 60  env: INKLING_PROGRESS_THREAD=true  also: INKLING_CMA=false */
/* A target that computes, outside MPI, until its origins are done: with a thread of the library's own they are served all the
 * same, also where only messages reach its memory. Every kind of operation and of passive synchronization. */
#include "win.h"

#include <stdatomic.h>

enum {
    LARGE = 20000 /* longs */
};

static long memory[LARGE + 8], data[LARGE], got[LARGE];
static _Atomic int *done; /* origins; in shared memory of rank 0 */

static MPI_Win open_counter(void)
{
    MPI_Aint bytes;
    MPI_Win win;
    void *base;
    int unit;

    OK(MPI_Win_allocate_shared(rank ? 0 : sizeof *done, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
    OK(MPI_Win_shared_query(win, 0, &bytes, &unit, &done));
    if (rank == 0)
        atomic_store(done, 0);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    return win;
}

/* Under a lock of its own each origin has all of the memory. */
static void move_all(MPI_Win win)
{
    for (int count = 1; count <= LARGE; count *= LARGE) {
        for (int i = 0; i < count; i++)
            data[i] = rank + i;
        OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win));
        OK(MPI_Put(data, count, MPI_LONG, 0, 8, count, MPI_LONG, win));
        OK(MPI_Win_flush(0, win));
        OK(MPI_Accumulate(data, count, MPI_LONG, 0, 8, count, MPI_LONG, MPI_SUM, win));
        OK(MPI_Get_accumulate(data, count, MPI_LONG, got, count, MPI_LONG, 0, 8, count, MPI_LONG, MPI_SUM,
                              win));
        OK(MPI_Win_flush(0, win));
        for (int i = 0; i < count; i++)
            CHECK_EQ(got[i], 2 * (rank + i));
        OK(MPI_Get(got, count, MPI_LONG, 0, 8, count, MPI_LONG, win));
        OK(MPI_Win_unlock(0, win));
        for (int i = 0; i < count; i++)
            CHECK_EQ(got[i], 3 * (rank + i));
    }
}

/* A ticket, and a place that one rank gets. */
static void count_all(MPI_Win win)
{
    const long one = 1, zero = 0, mine = rank;
    long ticket = -1, before = -1;

    OK(MPI_Win_lock_all(0, win));
    OK(MPI_Fetch_and_op(&one, &ticket, MPI_LONG, 0, 0, MPI_SUM, win));
    OK(MPI_Compare_and_swap(&mine, &zero, &before, MPI_LONG, 0, 1, win));
    OK(MPI_Win_flush_all(win));
    CHECK(ticket >= 0 && ticket < size - 1);
    CHECK(before >= 0 && before < size && before != rank);
    OK(MPI_Win_unlock_all(win));
}

/* The library's own thread has written it, and then another process has said so, which ThreadSanitizer does not see. */
__attribute__((no_sanitize("thread"))) static long served(int i)
{
    return memory[i];
}

int main(int argc, char **argv)
{
    MPI_Win counter, win;

    set_up(&argc, &argv);
    counter = open_counter();
    OK(MPI_Win_create(memory, sizeof memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    if (rank) {
        move_all(win);
        count_all(win);
        atomic_fetch_add(done, 1);
    } else {
        while (atomic_load(done) < size - 1)
            ;
        CHECK_EQ(served(0), size - 1);
        CHECK(served(1) > 0 && served(1) < size);
    }
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Win_free(&win));
    OK(MPI_Win_free(&counter));
    MPI_Finalize();
    return 0;
}
