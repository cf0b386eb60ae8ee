/* ranks: 1  fault: tolerance  says: entries of the datatype have bytes in common */
#include "program.h"

int main(void)
{
    int given[2] = {7, 8}, got = 0;
    MPI_Datatype one;
    MPI_File file;

    begin();
    MPI_Type_create_resized(MPI_INT, 0, 0, &one);
    MPI_Type_commit(&one);
    MPI_File_open(MPI_COMM_WORLD, "read_twice.dat",
                  MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
    MPI_File_write_at(file, 0, given, 2, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_read_at(file, 0, &got, 2, one, MPI_STATUS_IGNORE); /* FAULT */
    MPI_File_close(&file);
    MPI_Type_free(&one);
    MPI_Finalize();
    return 0;
}
