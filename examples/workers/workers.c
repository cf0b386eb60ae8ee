/* workers: a manager gives out tasks, one at a time, to whoever is free. Tasks of different length are shared evenly that way.
 *
 *     mpiexec -n 4 workers [tasks]
 *
 * A task is a number n, and its result is the number of steps in which n gets to 1 by n/2 and 3n+1. Rank 0 is the manager. It takes
 * results from MPI_ANY_SOURCE, since it cannot know who is ready next, and so it may not assert mpi_assert_no_any_source. What the workers
 * receive has always the length that they expect, and both sides assert that.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    TASK = 1, /* manager to worker: a number */
    RESULT =
        2, /* worker to manager: the number and its steps; 0 at the start, with which a worker asks for its first task */
    STOP = 0 /* the number that ends a worker */
};

static long steps_of(long number)
{
    long steps = 0;

    for (; number != 1; steps++)
        number = number % 2 ? 3 * number + 1 : number / 2;
    return steps;
}

static void work(MPI_Comm comm)
{
    long result[2] = {0, 0}, task;

    for (;;) {
        MPI_Send(result, 2, MPI_LONG, 0, RESULT, comm);
        MPI_Recv(&task, 1, MPI_LONG, 0, TASK, comm, MPI_STATUS_IGNORE);
        if (task == STOP)
            return;
        result[0] = task;
        result[1] = steps_of(task);
    }
}

/* Returns the sum of all results. */
static long manage(MPI_Comm comm, int workers, long tasks)
{
    long next = 1, stop = STOP, sum = 0, result[2];

    while (workers > 0) {
        MPI_Status status;

        MPI_Recv(result, 2, MPI_LONG, MPI_ANY_SOURCE, RESULT, comm, &status);
        sum += result[1];
        MPI_Send(next <= tasks ? &next : &stop, 1, MPI_LONG, status.MPI_SOURCE, TASK, comm);
        if (next <= tasks)
            next++;
        else
            workers--;
    }
    return sum;
}

/* A duplicate of MPI_COMM_WORLD with the promise that each receive has the length of its message. */
static MPI_Comm comm_with_promise(void)
{
    MPI_Info info;
    MPI_Comm comm;

    MPI_Info_create(&info);
    MPI_Info_set(info, "mpi_assert_exact_length", "true");
    MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &comm);
    MPI_Info_free(&info);
    return comm;
}

int main(int argc, char **argv)
{
    long tasks = argc > 1 ? atol(argv[1]) : 10000, sum = 0, expected = 0;
    int rank, size;
    MPI_Comm comm;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size < 2) {
        fprintf(stderr, "workers: a manager needs workers: mpiexec -n 2 or more\n");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    comm = comm_with_promise();
    if (rank > 0)
        work(comm);
    else
        sum = manage(comm, size - 1, tasks);
    for (long task = 1; rank == 0 && task <= tasks; task++)
        expected += steps_of(task);
    if (rank == 0)
        printf("%ld tasks took %ld steps\n", tasks, sum);
    MPI_Comm_free(&comm);
    MPI_Finalize();
    return sum != expected;
}
