/* ranks: 2 */
#include "program.h"

/* One rank comes when the other has been refused, and has gone on. */
int main(void)
{
    MPI_Comm half, inter;
    MPI_File file;

    begin();
    MPI_Comm_split(MPI_COMM_WORLD, rank, 0, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank, 0, &inter);
    if (rank == 1)
        sleep(1);
    if (MPI_File_open(inter, "data", MPI_MODE_RDONLY, MPI_INFO_NULL, &file) == MPI_SUCCESS)
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Barrier(inter);
    MPI_Comm_free(&inter);
    MPI_Comm_free(&half);
    if (MPI_File_open(MPI_COMM_WORLD, "data", rank ? MPI_MODE_RDONLY : 0, MPI_INFO_NULL, &file) ==
        MPI_SUCCESS)
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
