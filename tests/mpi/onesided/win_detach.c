/* ranks: 2  env: INKLING_CMA=false  not: thread */
/* Memory that an operation of another rank still reads or writes, by messages, cannot be detached. Once that is complete
 * it can, also if only its request says so. The origin waits outside MPI meanwhile, so nothing goes on. */
#include "win.h"

#include <stdatomic.h>

enum {
    BYTES = 1 << 22,
    LOOKS = 100
};

static unsigned char data[BYTES];
static _Atomic int *turn; /* in shared memory */

static MPI_Win open_turns(void)
{
    MPI_Aint bytes;
    MPI_Win win;
    void *base;
    int unit;

    OK(MPI_Win_allocate_shared(sizeof *turn, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
    OK(MPI_Win_shared_query(win, 0, &bytes, &unit, &turn));
    if (rank == 0)
        atomic_store(turn, 0);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    return win;
}

/* `is_flushed`: not only its request is waited for. */
static void operate(MPI_Win win, MPI_Aint at, int is_put, int is_flushed, int round)
{
    MPI_Request r;

    fill(data, BYTES, is_put ? round : -1);
    OK(MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win));
    if (is_put)
        OK(MPI_Rput(data, BYTES, MPI_BYTE, 1, at, BYTES, MPI_BYTE, win, &r));
    else
        OK(MPI_Rget(data, BYTES, MPI_BYTE, 1, at, BYTES, MPI_BYTE, win, &r));
    OK(MPI_Send(NULL, 0, MPI_BYTE, 1, 0, MPI_COMM_WORLD));
    while (atomic_load(turn) <= round)
        ;
    OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
    if (is_flushed)
        OK(MPI_Win_flush(1, win));
    OK(MPI_Send(NULL, 0, MPI_BYTE, 1, 0, MPI_COMM_WORLD));
    CHECK_EQ(find_wrong(data, BYTES, round), -1);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Win_unlock(1, win));
}

static void detach(MPI_Win win, int round)
{
    int flag;

    OK(MPI_Recv(NULL, 0, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    for (int i = 0; i < LOOKS; i++) /* so that it begins */
        OK(MPI_Iprobe(0, 1, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE));
    CHECK_CODE(MPI_Win_detach(win, data), MPI_ERR_RMA_ATTACH, "is in use");
    atomic_store(turn, round + 1);
    OK(MPI_Recv(NULL, 0, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    OK(MPI_Win_detach(win, data));
    CHECK_EQ(find_wrong(data, BYTES, round), -1);
    OK(MPI_Win_attach(win, data, BYTES));
    fill(data, BYTES, round + 1);
    OK(MPI_Barrier(MPI_COMM_WORLD));
}

int main(int argc, char **argv)
{
    MPI_Win turns, win;
    MPI_Aint at;

    set_up(&argc, &argv);
    turns = open_turns();
    OK(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    OK(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    OK(MPI_Win_attach(win, data, BYTES));
    OK(MPI_Get_address(data, &at));
    OK(MPI_Bcast(&at, 1, MPI_AINT, 1, MPI_COMM_WORLD));
    for (int round = 0; round < 3; round++) {
        if (rank == 0)
            operate(win, at, round == 0, round < 2, round);
        else
            detach(win, round);
    }
    OK(MPI_Win_free(&win));
    OK(MPI_Win_free(&turns));
    MPI_Finalize();
    return 0;
}
