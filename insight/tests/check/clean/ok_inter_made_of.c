/* ranks: 6 */
#include "program.h"

int main(void)
{
    MPI_Comm inter;
    MPI_Comm dup, later, part, merged, chosen;
    MPI_Group group, one;
    MPI_Request request;
    int x = rank, y;

    begin();
    inter = between(2);
    MPI_Comm_dup(inter, &dup);
    MPI_Comm_idup(inter, &later, &request);
    MPI_Allreduce(&x, &y, 1, MPI_INT, MPI_SUM, dup);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Bcast(&x, 1, MPI_INT, rank == 2 ? MPI_ROOT : rank > 2 ? MPI_PROC_NULL : 0, later);
    MPI_Comm_split(dup, rank % 2, rank, &part);
    MPI_Barrier(part);
    if (rank % 2)
        MPI_Allreduce(&x, &y, 1, MPI_INT, MPI_MAX, part);
    MPI_Comm_group(inter, &group);
    MPI_Group_incl(group, 1, (int[]){1}, &one);
    MPI_Comm_create(inter, one, &chosen);
    if (chosen != MPI_COMM_NULL) {
        MPI_Allreduce(&x, &y, 1, MPI_INT, MPI_MIN, chosen);
        MPI_Comm_free(&chosen);
    }
    MPI_Intercomm_merge(part, rank >= 2, &merged);
    MPI_Allreduce(&x, &y, 1, MPI_INT, MPI_SUM, merged);
    MPI_Group_free(&one);
    MPI_Group_free(&group);
    MPI_Comm_free(&merged);
    MPI_Comm_free(&part);
    MPI_Comm_free(&later);
    MPI_Comm_disconnect(&dup);
    MPI_Comm_free(&inter);
    MPI_Finalize();
    return 0;
}
