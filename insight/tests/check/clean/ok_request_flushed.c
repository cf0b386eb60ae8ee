/* ranks: 2 */
#include "program.h"

/* A flush or an unlock completes an access at its origin, whose buffers are free before MPI_Wait. */
enum end {
    FLUSH,
    FLUSH_LOCAL,
    FLUSH_ALL,
    FLUSH_LOCAL_ALL,
    UNLOCK,
    UNLOCK_ALL,
    ENDS
};

static MPI_Win win;
static int given, got;

static void begin_access(int kind, MPI_Request *request)
{
    switch (kind) {
    case 0:
        MPI_Rput(&given, 1, MPI_INT, 1, 0, 1, MPI_INT, win, request);
        break;
    case 1:
        MPI_Rget(&got, 1, MPI_INT, 1, 0, 1, MPI_INT, win, request);
        break;
    case 2:
        MPI_Raccumulate(&given, 1, MPI_INT, 1, 0, 1, MPI_INT, MPI_SUM, win, request);
        break;
    default:
        MPI_Rget_accumulate(&given, 1, MPI_INT, &got, 1, MPI_INT, 1, 0, 1, MPI_INT, MPI_SUM, win, request);
    }
}

static void end_access(enum end end)
{
    switch (end) {
    case FLUSH:
        MPI_Win_flush(1, win);
        break;
    case FLUSH_LOCAL:
        MPI_Win_flush_local(1, win);
        break;
    case FLUSH_ALL:
        MPI_Win_flush_all(win);
        break;
    case FLUSH_LOCAL_ALL:
        MPI_Win_flush_local_all(win);
        break;
    case UNLOCK:
        MPI_Win_unlock(1, win);
        break;
    default:
        MPI_Win_unlock_all(win);
    }
}

static void access_and_reuse(int kind, enum end end)
{
    MPI_Request request;

    if (end == UNLOCK)
        MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win);
    else
        MPI_Win_lock_all(0, win);
    begin_access(kind, &request);
    end_access(end);
    given++;
    got++;
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (end < UNLOCK)
        MPI_Win_unlock_all(win);
}

int main(void)
{
    int *base;

    begin();
    MPI_Win_allocate(sizeof *base, sizeof *base, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
    *base = 5;
    MPI_Barrier(MPI_COMM_WORLD);
    for (int kind = 0; rank == 0 && kind < 4; kind++)
        for (enum end end = 0; end < ENDS; end++)
            access_and_reuse(kind, end);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
