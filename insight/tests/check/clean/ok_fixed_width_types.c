/* ranks: 2 */
#include "program.h"

int main(void)
{
    int32_t a = 1;
    int64_t b = 2;

    begin();
    if (rank == 0) {
        MPI_Send(&a, 1, MPI_INT32_T, 1, 0, MPI_COMM_WORLD);
        MPI_Send(&b, 1, MPI_LONG, 1, 0, MPI_COMM_WORLD);
    } else {
        MPI_Recv(&a, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(&b, 1, MPI_INT64_T, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
