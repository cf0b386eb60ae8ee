/* What the library stores for `inkling where`: nothing in a call that finds at once what it waits for, and one note in a wait that takes
 * long. The notes of the first thread are counted as inkling reads them. */
#include "cmd/where/traced.h"

#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

enum {
    CALLS = 20000,
    LONG_US = 300000
};

static uint32_t count_notes(const struct traced *t)
{
    const struct where_table *w = &t->table;
    uint64_t pointer = (uint64_t)(uintptr_t)__builtin_thread_pointer();

    return traced_half(t, pointer + traced_word(t, (uint64_t)(uintptr_t)w->awaited_offset) +
                              w->of_awaited.number);
}

/* Calls of a process with itself. */
static void call(MPI_Win win, int i)
{
    double sum, value = i;
    int got = 0, flag;
    MPI_Request request;

    MPI_Isend(&i, 1, MPI_INT, 0, 3, MPI_COMM_SELF, &request);
    MPI_Probe(0, 3, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    MPI_Recv(&got, 1, MPI_INT, 0, 3, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Iprobe(0, 4, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
    MPI_Bcast(&got, 1, MPI_INT, 0, MPI_COMM_SELF);
    MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_SELF);
    MPI_Put(&i, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
    MPI_Win_flush(0, win);
}

/* Rank 1 lets rank 0 wait. */
static void wait_long(int rank)
{
    if (rank == 1)
        usleep(LONG_US);
    MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    static struct traced t;
    uint32_t before, after, at_end;
    int rank, *memory;
    MPI_Win win;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (traced_find(getpid(), &t) != TRACED_FOUND) {
        printf("skipped: a process may not read its own memory by process_vm_readv\n");
        MPI_Abort(MPI_COMM_WORLD, 77);
    }
    MPI_Win_allocate(sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_SELF, &memory, &win);
    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
    before = count_notes(&t);
    for (int i = 0; i < CALLS; i++)
        call(win, i);
    after = count_notes(&t);
    wait_long(rank);
    at_end = count_notes(&t);
    MPI_Win_unlock(0, win);
    MPI_Win_free(&win);
    MPI_Finalize();
    if (after != before || (rank == 0 && at_end == after)) {
        fprintf(stderr, "rank %d: %u notes before, %u after the calls, %u after a long wait\n", rank, before,
                after, at_end);
        return 1;
    }
    return 0;
}
