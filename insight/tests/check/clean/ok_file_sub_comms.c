/* ranks: 4 */
#include "program.h"

#include <stdio.h>

int main(void)
{
    MPI_Comm half;
    MPI_File file, own;
    char name[32];
    int x = 0;

    begin();
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, 0, &half);
    snprintf(name, sizeof name, "half%d.bin", rank % 2);
    MPI_File_open(half, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                  &file);
    snprintf(name, sizeof name, "own%d.bin", rank);
    MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                  MPI_INFO_NULL, &own);
    for (int i = 0; i <= rank % 2; i++) /* each half has its own number of calls */
        MPI_File_write_at_all(file, rank / 2 * 4, &rank, 1, MPI_INT, MPI_STATUS_IGNORE);
    if (rank == 3)
        MPI_File_set_size(own, 16);
    if (rank % 2)
        MPI_File_sync(own);
    MPI_File_read_at_all_begin(file, rank / 2 * 4, &x, 1, MPI_INT);
    MPI_File_read_at_all_end(file, &x, MPI_STATUS_IGNORE);
    MPI_File_close(&own);
    MPI_File_close(&file);
    MPI_Comm_free(&half);
    MPI_Finalize();
    return x == rank ? 0 : 1;
}
