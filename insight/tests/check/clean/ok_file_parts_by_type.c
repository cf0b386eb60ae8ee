/* ranks: 3 */
#include "program.h"

/* Each rank's type has one run without gaps, which begins behind those of the others, as HDF5 writes what describes a file. */
int main(void)
{
    char bytes[100] = "";
    int length = (int)sizeof bytes;
    MPI_Aint at;
    MPI_Datatype part;
    MPI_File file;

    begin();
    for (int i = 0; i < length; i++)
        bytes[i] = (char)(rank + i);
    at = (MPI_Aint)rank * length;
    MPI_Type_create_hindexed(1, &length, &at, MPI_BYTE, &part);
    MPI_Type_commit(&part);
    MPI_File_open(MPI_COMM_WORLD, "parts.bin", MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                  MPI_INFO_NULL, &file);
    MPI_File_set_view(file, 0, MPI_BYTE, part, "native", MPI_INFO_NULL);
    MPI_File_write_at_all(file, 0, bytes, length, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_Type_free(&part);
    MPI_File_close(&file);
    MPI_Finalize();
    return 0;
}
