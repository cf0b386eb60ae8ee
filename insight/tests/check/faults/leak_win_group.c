/* ranks: 2  fault: leak */
#include "program.h"

int main(void)
{
    MPI_Win win;
    MPI_Group group;

    begin();
    MPI_Win_create(NULL, 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_get_group(win, &group); /* FAULT */
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
