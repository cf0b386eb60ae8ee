/* ranks: 2  fault: collective-mismatch */
#include "program.h"

int main(void)
{
    MPI_File file;
    MPI_Request request;
    int x = 0;

    begin();
    MPI_File_open(MPI_COMM_WORLD, "data", MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                  MPI_INFO_NULL, &file);
    if (rank == 0)
        MPI_File_iwrite_all(file, &x, 1, MPI_INT, &request);
    else
        MPI_File_iread_all(file, &x, 1, MPI_INT, &request); /* FAULT */
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
    MPI_Finalize();
    return 0;
}
