/* ranks: 2  fault: argument  says: MPI_ERR_AMODE */
#include "program.h"

/* What is done with the file that was not opened is a consequence. */
int main(void)
{
    MPI_File file;

    begin();
    MPI_File_open(MPI_COMM_WORLD, "both.out", MPI_MODE_RDONLY | MPI_MODE_CREATE, MPI_INFO_NULL,
                  &file); /* FAULT */
    MPI_File_close(&file);
    MPI_Finalize();
    return 0;
}
