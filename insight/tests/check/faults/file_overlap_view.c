/* ranks: 2  fault: file-conflict */
#include "program.h"

#include <unistd.h>

int main(void)
{
    MPI_File f;
    MPI_Request q;
    int v[4] = {0};
    begin();
    MPI_File_open(MPI_COMM_WORLD, "g09.dat", MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                  MPI_INFO_NULL, &f);
    MPI_File_set_view(f, 8, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
    if (rank == 0) {
        usleep(50000); /* the other one has left the calls before, which learn of what is done by then */
        MPI_File_iwrite(f, v, 4, MPI_INT, &q); /* FAULT */
        MPI_Wait(&q, MPI_STATUS_IGNORE);
    } else
        MPI_File_read_at(f, 3, v, 1, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_close(&f);
    MPI_Finalize();
    return 0;
}
