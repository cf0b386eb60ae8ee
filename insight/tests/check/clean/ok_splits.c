/* ranks: 4 */
#include "program.h"

int main(void)
{
    MPI_Comm half, all, group_comm;
    MPI_Group world, group;
    int x = 1, y;

    begin();
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    for (int i = 0; i <= rank % 2; i++)
        MPI_Allreduce(&x, &y, 1, MPI_INT, MPI_SUM, half);
    MPI_Comm_dup(half, &all);
    MPI_Bcast(&x, 1, MPI_INT, 1, all);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 2, (int[2]){0, 3}, &group);
    if (rank == 0 || rank == 3) {
        MPI_Comm_create_group(MPI_COMM_WORLD, group, 5, &group_comm);
        MPI_Barrier(group_comm);
        MPI_Comm_free(&group_comm);
    }
    MPI_Comm_create(MPI_COMM_WORLD, group, &group_comm);
    if (group_comm != MPI_COMM_NULL)
        MPI_Comm_free(&group_comm);
    MPI_Group_free(&group);
    MPI_Group_free(&world);
    MPI_Comm_free(&all);
    MPI_Comm_free(&half);
    MPI_Finalize();
    return 0;
}
