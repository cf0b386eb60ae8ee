/* ranks: 2 */
#include "program.h"

int main(void)
{
    int mine = 1, theirs, provided;

    MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int turn = 0; turn < 3; turn++) {
#pragma omp parallel num_threads(2)
        {
#pragma omp master
            MPI_Sendrecv(&mine, 1, MPI_INT, 1 - rank, 0, &theirs, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
        }
    }
    MPI_Finalize();
    return 0;
}
