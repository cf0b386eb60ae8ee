/* ranks: 3  options: --survive */
#include "survived.h"

/* A rank dies in a collective access; the others write the same bytes again, by another handle. */
int main(void)
{
    int value[4] = {0}, error = MPI_SUCCESS;
    MPI_Comm living;
    MPI_File file;

    begin_returning();
    MPI_File_open(MPI_COMM_WORLD, "survived.data", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    for (int i = 0; i < 100 && !error; i++) {
        if (rank == 2 && i == 10)
            die();
        error = MPI_File_write_at_all(file, rank * 16, value, 4, MPI_INT, MPI_STATUS_IGNORE);
    }
    MPI_File_close(&file);
    living = shrink();
    MPI_File_open(living, "survived.data", MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    error = MPI_File_write_at_all(file, (1 - rank) * 16, value, 4, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
    MPI_Comm_free(&living);
    MPI_Finalize();
    return error;
}
