/* ranks: 2  fault: buffer */
#include "program.h"

int main(void)
{
    MPI_File f;
    MPI_Request q;
    int v[4] = {1, 2, 3, 4};
    begin();
    MPI_File_open(MPI_COMM_WORLD, "own.dat", MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                  MPI_INFO_NULL, &f);
    MPI_File_iwrite_at(f, rank * 16, v, 4, MPI_INT, &q); /* FAULT */
    v[0] = 8;
    MPI_Wait(&q, MPI_STATUS_IGNORE);
    MPI_File_close(&f);
    MPI_Finalize();
    return 0;
}
