/* ranks: 2  fault: leak */
#include "program.h"

int main(void)
{
    int x;

    begin();
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &x, NULL); /* FAULT */
    (void)x;
    MPI_Finalize();
    return 0;
}
