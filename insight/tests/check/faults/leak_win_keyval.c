/* ranks: 2  fault: leak */
#include "program.h"

int main(void)
{
    int key;

    begin();
    MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, MPI_WIN_NULL_DELETE_FN, &key, NULL); /* FAULT */
    MPI_Finalize();
    return 0;
}
