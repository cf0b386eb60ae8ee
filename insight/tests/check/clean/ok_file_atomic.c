/* ranks: 3 */
#include "program.h"

int main(void)
{
    MPI_File f;
    int v[4] = {0};
    begin();
    MPI_File_open(MPI_COMM_WORLD, "atomic.dat", MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                  MPI_INFO_NULL, &f);
    MPI_File_set_atomicity(f, 1);
    MPI_File_write_at(f, 0, v, 4, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_read_at(f, 8, v, 4, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_close(&f);
    MPI_Finalize();
    return 0;
}
