/* ranks: 2  fault: collective-mismatch */
#include "program.h"

/* The file is not closed then, which is no leak of its own. */
int main(void)
{
    MPI_File file;

    begin();
    MPI_File_open(MPI_COMM_WORLD, "mode.out", MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                  MPI_INFO_NULL, &file);
    if (rank == 0)
        MPI_File_write_at_all(file, 0, &rank, 1, MPI_INT, MPI_STATUS_IGNORE);
    else
        MPI_File_write_at(file, 4, &rank, 1, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_close(&file); /* FAULT */
    MPI_Finalize();
    return 0;
}
