/* ranks: 2  fault: argument */
#include "program.h"

int main(void)
{
    MPI_File file;

    begin();
    MPI_File_open(MPI_COMM_WORLD, "data", MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                  MPI_INFO_NULL, &file);
    MPI_File_set_size(file, 64 + rank); /* FAULT */
    MPI_File_close(&file);
    MPI_Finalize();
    return 0;
}
