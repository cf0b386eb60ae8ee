/* ranks: 2 */
#include "program.h"

int main(void)
{
    struct {
        int i[3];
        double d[2];
    } x = {{1, 2, 3}, {4, 5}};
    int lengths[2] = {3, 2};
    MPI_Aint places[2] = {0, 16};
    MPI_Datatype types[2] = {MPI_INT, MPI_DOUBLE}, type, copy;

    begin();
    MPI_Type_create_struct(2, lengths, places, types, &type);
    MPI_Type_commit(&type);
    MPI_Type_dup(type, &copy);
    MPI_Type_commit(&copy);
    if (rank == 0)
        MPI_Send(&x, 1, type, 1, 0, MPI_COMM_WORLD);
    else
        MPI_Recv(&x, 1, copy, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Type_free(&copy);
    MPI_Type_free(&type);
    MPI_Finalize();
    return 0;
}
