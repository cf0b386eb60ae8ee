/* ranks: 2 */
#include "program.h"

/* Threads of OpenMP that rest between regions, and calls outside of them. */
int main(void)
{
    long sum = 0, mine;

    begin();
    for (int turn = 0; turn < 3; turn++) {
#pragma omp parallel for num_threads(2) reduction(+ : sum)
        for (int i = 0; i < 1000; i++)
            sum += i;
        mine = sum;
        MPI_Allreduce(&mine, &sum, 1, MPI_LONG, MPI_MAX, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
