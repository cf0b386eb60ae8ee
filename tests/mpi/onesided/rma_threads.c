/* ranks: 2 3 timeout: 60 env: INKLING_CMA=false also: INKLING_TRANSPORT=ofi also: INKLING_PROGRESS_THREAD=true */
/* Threads of one process put into memory of rank 0, flush and tell it so: what a thread has flushed is there, whatever the
 * other threads and the progress thread flush or send at the same time. Then each locks a rank of its own. */
#include "win.h"

enum {
    THREADS = 4,
    ROUNDS = 500
};

static struct window window;

static void *put_and_tell(void *arg)
{
    int me = (int)(intptr_t)arg, slot = (rank - 1) * THREADS + me;

    for (int i = 1; i <= ROUNDS; i++) {
        OK(MPI_Put(&i, 1, MPI_INT, 0, window_at(&window, 0, slot), 1, MPI_INT, window.win));
        OK(MPI_Win_flush(0, window.win));
        OK(MPI_Send(&i, 1, MPI_INT, 0, me, MPI_COMM_WORLD));
        OK(MPI_Recv(NULL, 0, MPI_INT, 0, me, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    }
    return arg;
}

static void put_from_threads(void)
{
    OK(MPI_Win_lock_all(0, window.win));
    run_threads(put_and_tell, THREADS);
    OK(MPI_Win_unlock_all(window.win));
}

/* Each thread locks a rank of its own. */
static void *lock_and_put(void *arg)
{
    int target = (int)(intptr_t)arg, seen = 0;

    for (int i = 1; i <= ROUNDS / 5; i++) {
        OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, window.win));
        OK(MPI_Put(&i, 1, MPI_INT, target, window_at(&window, target, rank), 1, MPI_INT, window.win));
        OK(MPI_Win_flush_all(window.win));
        OK(MPI_Get(&seen, 1, MPI_INT, target, window_at(&window, target, rank), 1, MPI_INT, window.win));
        OK(MPI_Win_unlock(target, window.win));
        CHECK_EQ(seen, i);
    }
    return arg;
}

/* What lies there; a function of its own for tests/tsan.supp. */
static __attribute__((noinline)) int flushed_value(int slot)
{
    return ((const volatile int *)window.base)[slot];
}

/* Looks before any other call of MPI, which could still bring what was flushed. */
static void look_when_told(void)
{
    for (int n = 0; n < (size - 1) * THREADS * ROUNDS; n++) {
        MPI_Status status;
        int told;

        OK(MPI_Recv(&told, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status));
        CHECK_EQ(flushed_value((status.MPI_SOURCE - 1) * THREADS + status.MPI_TAG), told);
        OK(MPI_Send(NULL, 0, MPI_INT, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD));
    }
}

int main(int argc, char **argv)
{
    int provided;

    OK(MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided));
    CHECK_EQ(provided, MPI_THREAD_MULTIPLE);
    OK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    OK(MPI_Comm_size(MPI_COMM_WORLD, &size));
    for (enum way way = CREATED; way <= ALLOCATED; way++) {
        CHECK(window_open(&window, way, (size - 1) * THREADS * (MPI_Aint)sizeof(int), sizeof(int),
                          MPI_INFO_NULL, MPI_COMM_WORLD));
        if (rank)
            put_from_threads();
        else
            look_when_told();
        OK(MPI_Barrier(MPI_COMM_WORLD));
        run_threads(lock_and_put, size);
        OK(MPI_Barrier(MPI_COMM_WORLD));
        window_close(&window);
    }
    OK(MPI_Finalize());
    return 0;
}
