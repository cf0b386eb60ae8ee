/* ranks: 3  fault: file-conflict */
#include "program.h"

int main(void)
{
    MPI_File f;
    int v[4] = {0};
    begin();
    v[0] = rank;
    MPI_File_open(MPI_COMM_WORLD, "g08.dat", MPI_MODE_CREATE | MPI_MODE_WRONLY | MPI_MODE_DELETE_ON_CLOSE,
                  MPI_INFO_NULL, &f);
    MPI_File_write_all(f, v, 4, MPI_INT, MPI_STATUS_IGNORE); /* FAULT */
    MPI_File_close(&f);
    MPI_Finalize();
    return 0;
}
