/* ranks: 2 */
#include "program.h"

/* Groups and error handlers with one handle are freed one by one. */
int main(void)
{
    MPI_Group world, both, again, of_win;
    MPI_Errhandler got[2];
    MPI_Win win;
    int *mem;

    begin();
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_union(world, world, &both);
    MPI_Group_intersection(both, world, &again);
    MPI_Win_allocate(4, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &mem, &win);
    MPI_Win_get_group(win, &of_win);
    MPI_Group_free(&world);
    world = again; /* a copy is freed in place of its variable */
    MPI_Group_free(&of_win);
    MPI_Group_free(&both);
    MPI_Group_free(&world);
    MPI_Win_free(&win);
    MPI_Comm_get_errhandler(MPI_COMM_WORLD, &got[0]);
    MPI_Comm_get_errhandler(MPI_COMM_WORLD, &got[1]);
    MPI_Errhandler_free(&got[0]);
    MPI_Errhandler_free(&got[1]);
    MPI_Finalize();
    return 0;
}
