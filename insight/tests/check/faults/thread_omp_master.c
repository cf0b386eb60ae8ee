/* ranks: 2  fault: thread-level  needs: openmp */
#include "program.h"

int main(void)
{
    int mine, theirs;

    begin();
    mine = rank;
#pragma omp parallel num_threads(2)
    {
#pragma omp master
        MPI_Sendrecv(&mine, 1, MPI_INT, 1 - rank, 0, &theirs, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE); /* FAULT */
    }
    MPI_Finalize();
    return 0;
}
