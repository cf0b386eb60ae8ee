/* rma_many [milliseconds]: windows of as many ranks as there are, which may be more than cores: what an epoch of
 * each kind costs, in us, and the rate of MPI_Fetch_and_op of all ranks on one counter, in millions a second.
 *
 *     fence         MPI_Put to the next rank and MPI_Win_fence
 *     pscw          post to the previous rank, start to the next, put, complete, wait
 *     lock          MPI_Win_lock (exclusive) of rank 0, get, flush, put, unlock, by all ranks at once
 *     contended     MPI_Fetch_and_op and a flush, by all ranks at once
 *     contended_byte    the same with MPI_UINT8_T */
#include "measure.h"

#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static int rank, size, next, previous;
static MPI_Win win;
static MPI_Group to, from;
static long one = 1, fetched;

static void fence(void)
{
    MPI_Put(&one, 1, MPI_LONG, next, 1, 1, MPI_LONG, win);
    MPI_Win_fence(0, win);
}

static void pscw(void)
{
    MPI_Win_post(from, 0, win);
    MPI_Win_start(to, 0, win);
    MPI_Put(&one, 1, MPI_LONG, next, 1, 1, MPI_LONG, win);
    MPI_Win_complete(win);
    MPI_Win_wait(win);
}

static void lock(void)
{
    long value;

    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
    MPI_Get(&value, 1, MPI_LONG, 0, 0, 1, MPI_LONG, win);
    MPI_Win_flush(0, win);
    value++;
    MPI_Put(&value, 1, MPI_LONG, 0, 0, 1, MPI_LONG, win);
    MPI_Win_unlock(0, win);
}

static void contended(void)
{
    MPI_Fetch_and_op(&one, &fetched, MPI_LONG, 0, 0, MPI_SUM, win);
    MPI_Win_flush(0, win);
}

/* Behind what the others use. */
static void contended_byte(void)
{
    static uint8_t one_more = 1, before;

    MPI_Fetch_and_op(&one_more, &before, MPI_UINT8_T, 0, 2, MPI_SUM, win);
    MPI_Win_flush(0, win);
}

/* Microseconds of all ranks' calls, the slowest one's, each. */
static double time_of(void (*call)(void), int count)
{
    double start, spent;

    MPI_Barrier(MPI_COMM_WORLD);
    start = MPI_Wtime();
    for (int i = 0; i < count; i++)
        call();
    spent = (MPI_Wtime() - start) / count * 1e6;
    MPI_Allreduce(MPI_IN_PLACE, &spent, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return spent;
}

/* As many calls as fill the time. */
static double measure(void (*call)(void), double milliseconds, long *calls)
{
    double trial = time_of(call, 20);
    int count = (int)(milliseconds * 1e3 / trial);

    count = count < 20 ? 20 : count > 1000000 ? 1000000 : count;
    *calls += 20 + count;
    return time_of(call, count);
}

static void report(const char *name, double value)
{
    if (rank == 0)
        printf("%s %.4f\n", name, value);
}

int main(int argc, char **argv)
{
    double milliseconds = (double)measure_argument(argc, argv, 1, 200);
    long *memory, fences = 0, posts = 0, sums = 0, bytes = 0;
    MPI_Group all;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    next = (rank + 1) % size;
    previous = (rank + size - 1) % size;
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, 1, &next, &to);
    MPI_Group_incl(all, 1, &previous, &from);
    MPI_Win_allocate(3 * sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    memory[0] = memory[2] = 0;
    MPI_Win_fence(0, win);
    report("fence", measure(fence, milliseconds, &fences));
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    report("pscw", measure(pscw, milliseconds, &posts));
    report("lock", measure(lock, milliseconds, &sums) / size);
    MPI_Win_lock_all(0, win);
    report("contended", size / measure(contended, milliseconds, &sums));
    report("contended_byte", size / measure(contended_byte, milliseconds, &bytes));
    MPI_Win_unlock_all(win);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0 && (memory[0] != sums * size || *(uint8_t *)&memory[2] != (uint8_t)(bytes * size))) {
        fprintf(stderr, "rma_many: the counters are %ld and %d, not %ld and %d\n", memory[0],
                *(uint8_t *)&memory[2], sums * size, (uint8_t)(bytes * size));
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_Win_free(&win);
    MPI_Group_free(&to);
    MPI_Group_free(&from);
    MPI_Group_free(&all);
    MPI_Finalize();
    return 0;
}
