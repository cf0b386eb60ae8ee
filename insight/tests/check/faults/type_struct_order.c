/* ranks: 2  fault: type-mismatch */
#include "program.h"

int main(void)
{
    struct {
        double d;
        int i;
    } x = {0};
    int lengths[2] = {1, 1};
    MPI_Aint places[2] = {0, 8};
    MPI_Datatype types[2] = {MPI_DOUBLE, MPI_INT}, type;

    begin();
    if (rank == 1) {
        types[0] = MPI_INT;
        types[1] = MPI_DOUBLE;
    }
    MPI_Type_create_struct(2, lengths, places, types, &type);
    MPI_Type_commit(&type);
    if (rank == 0)
        MPI_Send(&x, 1, type, 1, 0, MPI_COMM_WORLD);
    else
        MPI_Recv(&x, 1, type, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* FAULT */
    MPI_Type_free(&type);
    MPI_Finalize();
    return 0;
}
