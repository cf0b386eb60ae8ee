/* ranks: 2  fault: argument */
#include "program.h"

int main(void)
{
    int value = 1;
    MPI_File file;

    begin();
    MPI_File_open(MPI_COMM_WORLD, "twice.out", MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                  MPI_INFO_NULL, &file);
    MPI_File_write_all_begin(file, &value, 1, MPI_INT);
    MPI_File_write_all_begin(file, &value, 1, MPI_INT); /* FAULT */
    MPI_File_write_all_end(file, &value, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
    MPI_Finalize();
    return 0;
}
