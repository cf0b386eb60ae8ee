/* ranks: 2 */
#include "program.h"

int main(void)
{
    MPI_File f;
    int v[4] = {0};
    begin();
    for (int k = 0; k < 2; k++) {
        MPI_File_open(MPI_COMM_WORLD, "again.dat", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &f);
        if (rank == k)
            MPI_File_write_at(f, 0, v, 4, MPI_INT, MPI_STATUS_IGNORE);
        MPI_File_close(&f);
    }
    MPI_File_open(MPI_COMM_WORLD, "again.dat", MPI_MODE_RDONLY | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &f);
    MPI_File_read_at(f, 0, v, 4, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_close(&f);
    MPI_Finalize();
    return 0;
}
