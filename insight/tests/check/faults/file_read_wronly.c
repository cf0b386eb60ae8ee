/* ranks: 1  fault: argument  says: MPI_ERR_ACCESS */
#include "program.h"

/* Files return their errors, and nobody looks. */
int main(void)
{
    int value = 0;
    MPI_File file;

    begin();
    MPI_File_open(MPI_COMM_WORLD, "wronly.out", MPI_MODE_CREATE | MPI_MODE_WRONLY | MPI_MODE_DELETE_ON_CLOSE,
                  MPI_INFO_NULL, &file);
    MPI_File_read(file, &value, 1, MPI_INT, MPI_STATUS_IGNORE); /* FAULT */
    MPI_File_close(&file);
    MPI_Finalize();
    return value;
}
