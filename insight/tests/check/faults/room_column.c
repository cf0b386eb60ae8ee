/* ranks: 2  fault: buffer */
#include "program.h"

int main(void)
{
    int given[4] = {0}, *got = calloc(12, sizeof *got);
    MPI_Datatype column;

    begin();
    MPI_Type_vector(4, 1, 4, MPI_INT, &column);
    MPI_Type_commit(&column);
    if (rank == 0)
        MPI_Send(given, 4, MPI_INT, 1, 0, MPI_COMM_WORLD);
    else
        MPI_Recv(got, 1, column, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* FAULT */
    MPI_Type_free(&column);
    free(got);
    MPI_Finalize();
    return 0;
}
