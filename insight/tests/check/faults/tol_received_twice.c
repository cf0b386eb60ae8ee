/* ranks: 2  fault: tolerance  says: entries of the datatype have bytes in common */
#include "program.h"

int main(void)
{
    int given[3] = {7, 8, 9}, got = 0, other;
    MPI_Datatype one, place;

    begin();
    other = size - 1 - rank;
    MPI_Type_create_resized(MPI_INT, 0, 0, &one);
    MPI_Type_contiguous(3, one, &place);
    MPI_Type_commit(&place);
    if (rank == 0)
        MPI_Send(given, 3, MPI_INT, other, 0, MPI_COMM_WORLD);
    else
        MPI_Recv(&got, 1, place, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* FAULT */
    MPI_Type_free(&place);
    MPI_Type_free(&one);
    MPI_Finalize();
    return 0;
}
