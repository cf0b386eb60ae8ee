/* ranks: 2  fault: file-conflict */
#include "program.h"

/* ranks write overlapping ranges, without atomicity or sync */
int main(void)
{
    MPI_File f;
    int v[4];
    begin();
    for (int i = 0; i < 4; i++)
        v[i] = rank;
    MPI_File_open(MPI_COMM_WORLD, "overlap.dat", MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                  MPI_INFO_NULL, &f);
    MPI_File_write_at(f, rank * 8, v, 4, MPI_INT, MPI_STATUS_IGNORE); /* FAULT */
    MPI_File_close(&f);
    MPI_Finalize();
    return 0;
}
