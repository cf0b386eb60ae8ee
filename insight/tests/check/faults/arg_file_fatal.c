/* ranks: 1  fault: argument */
#include "program.h"

int main(void)
{
    MPI_File file;
    int x = 0;

    begin();
    MPI_File_open(MPI_COMM_SELF, "fatal.dat", MPI_MODE_CREATE | MPI_MODE_WRONLY | MPI_MODE_DELETE_ON_CLOSE,
                  MPI_INFO_NULL, &file);
    MPI_File_set_errhandler(file, MPI_ERRORS_ARE_FATAL);
    MPI_File_read(file, &x, 1, MPI_INT, MPI_STATUS_IGNORE); /* FAULT */
    MPI_File_close(&file);
    MPI_Finalize();
    return 0;
}
