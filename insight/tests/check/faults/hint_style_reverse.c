/* ranks: 1  fault: hint  says: begins behind */
#include "program.h"

int main(void)
{
    int x[8] = {0};
    MPI_Info info;
    MPI_File file;
    MPI_Request request;

    begin();
    info = info_with("access_style", "reverse_sequential");
    MPI_File_open(MPI_COMM_WORLD, "styled", MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, info,
                  &file);
    MPI_Info_free(&info);
    MPI_File_write_at(file, 64, x, 8, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_write_at(file, 32, x, 8, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_iwrite_at(file, 96, x, 8, MPI_INT, &request); /* FAULT */
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
    MPI_Finalize();
    return 0;
}
