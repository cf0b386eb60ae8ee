/* ranks: 2  fault: hint  says: begins before */
#include "program.h"

int main(void)
{
    int x[8] = {0};
    MPI_Info info;
    MPI_File file;

    begin();
    info = info_with("access_style", "sequential");
    MPI_File_open(MPI_COMM_WORLD, "styled", MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, info,
                  &file);
    MPI_Info_free(&info);
    for (int i = 0; i < 4; i++)
        MPI_File_write_at(file, 128 * rank + 32 * i, x, 8, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_write_at(file, 128 * rank + 32, x, 8, MPI_INT, MPI_STATUS_IGNORE); /* FAULT */
    MPI_File_close(&file);
    MPI_Finalize();
    return 0;
}
