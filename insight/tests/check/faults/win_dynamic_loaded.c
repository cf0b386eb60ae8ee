/* ranks: 2  fault: rma-conflict  needs: watchpoints */
#include "program.h"

/* Memory that was attached to a dynamic window: displacements are addresses. */
int main(void)
{
    int *mem = calloc(4, sizeof *mem), other[4] = {0}, value = 3, seen = 0;
    MPI_Aint mine, at[2];
    MPI_Win win;

    begin();
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_attach(win, other, sizeof other);
    MPI_Win_attach(win, mem, 4 * sizeof *mem);
    MPI_Win_detach(win, other);
    MPI_Get_address(mem, &mine);
    MPI_Allgather(&mine, 1, MPI_AINT, at, 1, MPI_AINT, MPI_COMM_WORLD);
    MPI_Win_fence(0, win);
    if (rank == 0) {
        MPI_Put(&value, 1, MPI_INT, 1, MPI_Aint_add(at[1], 8), 1, MPI_INT, win);
    } else {
        mem[1] = 1;
        seen = mem[2]; /* FAULT */
    }
    MPI_Win_fence(0, win);
    MPI_Win_detach(win, mem);
    MPI_Win_free(&win);
    free(mem);
    MPI_Finalize();
    return seen > 3;
}
