/* ranks: 2  fault: collective-mismatch */
#include "program.h"

int main(void)
{
    MPI_File file;
    int x = 0;

    begin();
    MPI_File_open(MPI_COMM_WORLD, "data", MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                  MPI_INFO_NULL, &file);
    if (rank == 0)
        MPI_File_write_all(file, &x, 1, MPI_INT, MPI_STATUS_IGNORE);
    else
        MPI_File_write_at_all(file, 4, &x, 1, MPI_INT, MPI_STATUS_IGNORE); /* FAULT */
    MPI_File_close(&file);
    MPI_Finalize();
    return 0;
}
