/* ranks: 2  fault: argument */
#include "program.h"

int main(void)
{
    MPI_File file;

    begin();
    MPI_File_open(MPI_COMM_WORLD, "data", MPI_MODE_CREATE | (rank ? MPI_MODE_RDWR : MPI_MODE_WRONLY),
                  MPI_INFO_NULL, &file); /* FAULT */
    if (file != MPI_FILE_NULL)
        MPI_File_close(&file);
    MPI_Finalize();
    return 0;
}
