/* ranks: 2  fault: hint  says: for the second time */
#include "program.h"

int main(void)
{
    int x[8] = {0};
    MPI_Info info;
    MPI_File file;

    begin();
    info = info_with("access_style", "read_once,random");
    MPI_File_open(MPI_COMM_WORLD, "styled", MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, info,
                  &file);
    MPI_Info_free(&info);
    MPI_File_write_at_all(file, 32 * rank, x, 8, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_read_at_all(file, 32 * rank, x, 8, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_seek(file, 32 * rank, MPI_SEEK_SET);
    MPI_File_read(file, x, 1, MPI_INT, MPI_STATUS_IGNORE); /* FAULT */
    MPI_File_close(&file);
    MPI_Finalize();
    return 0;
}
