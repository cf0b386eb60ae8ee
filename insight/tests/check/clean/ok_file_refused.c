/* ranks: 2 */
#include "program.h"

int main(void)
{
    MPI_File file;

    begin();
    MPI_File_open(MPI_COMM_SELF, "no such file", MPI_MODE_RDONLY, MPI_INFO_NULL,
                  &file); /* returns its error */
    MPI_Finalize();
    return 0;
}
