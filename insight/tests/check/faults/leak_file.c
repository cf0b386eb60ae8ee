/* ranks: 2  fault: leak */
#include "program.h"

int main(void)
{
    MPI_File x;
    char name[64];

    begin();
    snprintf(name, sizeof name, "/tmp/check_leak_%d", (int)getpid());
    MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                  MPI_INFO_NULL, &x); /* FAULT */
    (void)x;
    unlink(name);
    MPI_Finalize();
    return 0;
}
