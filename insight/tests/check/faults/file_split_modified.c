/* ranks: 2  fault: buffer */
#include "program.h"

int main(void)
{
    int values[4] = {1, 2, 3, 4};
    MPI_File file;

    begin();
    MPI_File_open(MPI_COMM_WORLD, "split.out", MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                  MPI_INFO_NULL, &file);
    MPI_File_write_at_all_begin(file, 16 * rank, values, 4, MPI_INT);
    values[2] = 9;
    MPI_File_write_at_all_end(file, values, MPI_STATUS_IGNORE); /* FAULT */
    MPI_File_close(&file);
    MPI_Finalize();
    return 0;
}
