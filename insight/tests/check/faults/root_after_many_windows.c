/* ranks: 4  fault: root-mismatch */
#include "program.h"
int main(void)
{
    MPI_Win win;
    MPI_Comm half; /* whose collectives take memory of another size */
    int number = 1, sum;

    begin();
    for (int i = 0; i < 10000; i++) {
        MPI_Win_create(&number, sizeof number, sizeof number, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
        MPI_Win_free(&win);
    }
    MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &half);
    MPI_Reduce(&number, &sum, 1, MPI_INT, MPI_SUM, rank == 3 ? 1 : 0, half); /* FAULT */
    MPI_Comm_free(&half);
    MPI_Finalize();
    return 0;
}
