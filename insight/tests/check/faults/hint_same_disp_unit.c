/* ranks: 2  fault: hint */
#include "program.h"

int main(void)
{
    int *x;
    MPI_Win win;
    MPI_Info info;

    begin();
    info = info_with("same_disp_unit", "true");
    MPI_Win_allocate(64, rank ? 4 : 8, info, MPI_COMM_WORLD, &x, &win); /* FAULT */
    MPI_Info_free(&info);
    MPI_Win_fence(0, win);
    (void)x;
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
