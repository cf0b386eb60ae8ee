/* ranks: 4 also: INKLING_CMA=false */
/* Who shares a lock gets its turn while others take it alone, one after the other without a pause; and they get theirs
 * while several share it. */
#include "win.h"

enum {
    TURNS = 500
};

static void lock_once(int type, const struct window *w)
{
    int got;

    OK(MPI_Win_lock(type, 0, 0, w->win));
    OK(MPI_Get(&got, 1, MPI_INT, 0, window_at(w, 0, 0), 1, MPI_INT, w->win));
    OK(MPI_Win_unlock(0, w->win));
}

/* The last rank locks so often, the others until it has done so. */
static void take_turns(int type, int of_others, const struct window *w)
{
    int stop = 0;
    MPI_Request request;

    if (rank == size - 1) {
        for (int i = 0; i < TURNS; i++)
            lock_once(type, w);
        stop = 1;
    }
    OK(MPI_Ibcast(&stop, 1, MPI_INT, size - 1, MPI_COMM_WORLD, &request));
    for (int done = 0; !done;) {
        if (rank != size - 1)
            lock_once(of_others, w);
        OK(MPI_Test(&request, &done, MPI_STATUS_IGNORE));
    }
    CHECK_EQ(stop, 1);
    OK(MPI_Barrier(MPI_COMM_WORLD));
}

int main(int argc, char **argv)
{
    struct window w;

    set_up(&argc, &argv);
    for (enum way way = 0; way < WAYS; way++) {
        if (!window_open(&w, way, 64, 1, MPI_INFO_NULL, MPI_COMM_WORLD))
            continue;
        take_turns(MPI_LOCK_SHARED, MPI_LOCK_EXCLUSIVE, &w);
        take_turns(MPI_LOCK_EXCLUSIVE, MPI_LOCK_SHARED, &w);
        window_close(&w);
    }
    MPI_Finalize();
    return 0;
}
