/* ranks: 2  fault: hint  says: for the second time */
#include "program.h"

int main(void)
{
    int x[8] = {0};
    MPI_Info info;
    MPI_File file;

    begin();
    info = info_with("access_style", "write_once");
    MPI_File_open(MPI_COMM_WORLD, "styled", MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, info,
                  &file);
    MPI_Info_free(&info);
    MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
    MPI_File_write_at(file, 100 * rank, x, 8, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_write_at(file, 100 * rank + 8, x, 8, MPI_INT, MPI_STATUS_IGNORE);
    if (rank == 0)
        MPI_File_write_at(file, 4, x, 8, MPI_INT, MPI_STATUS_IGNORE); /* FAULT */
    MPI_File_close(&file);
    MPI_Finalize();
    return 0;
}
