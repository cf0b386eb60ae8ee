/* ranks: 3 */
#include "program.h"

/* each its own block, by explicit offset, pointer and a view in turns */
int main(void)
{
    MPI_File f;
    MPI_Datatype t;
    int v[4] = {0};
    begin();
    MPI_File_open(MPI_COMM_WORLD, "blocks.dat", MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                  MPI_INFO_NULL, &f);
    MPI_File_write_at(f, rank * 16, v, 4, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_seek(f, 48 + rank * 16, MPI_SEEK_SET);
    MPI_File_write(f, v, 2, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_write(f, v, 2, MPI_INT, MPI_STATUS_IGNORE);
    MPI_Type_create_resized(MPI_INT, 0, 12, &t);
    MPI_Type_commit(&t);
    MPI_File_set_view(f, 96 + rank * 4, MPI_INT, t, "native", MPI_INFO_NULL);
    MPI_File_write_all(f, v, 4, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_write_at(f, 4, v, 1, MPI_INT, MPI_STATUS_IGNORE);
    MPI_Type_free(&t);
    MPI_File_close(&f);
    MPI_Finalize();
    return 0;
}
