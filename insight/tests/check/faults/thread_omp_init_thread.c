/* ranks: 2  fault: thread-level  needs: openmp */
#include "program.h"

static void add_up(long *sum)
{
    long mine = *sum;

    MPI_Allreduce(&mine, sum, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD); /* FAULT */
}

int main(void)
{
    long sum = 0;
    int provided;

    MPI_Init_thread(NULL, NULL, MPI_THREAD_SINGLE, &provided);
#pragma omp parallel num_threads(3)
    {
#pragma omp atomic
        sum++;
#pragma omp barrier
#pragma omp master
        add_up(&sum);
    }
    MPI_Finalize();
    return 0;
}
