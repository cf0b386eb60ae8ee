/* ranks: 3 */
#include "program.h"

static MPI_Comm make(MPI_Group all, int first, int second)
{
    int members[2] = {first, second};
    MPI_Group part;
    MPI_Comm comm;

    MPI_Group_incl(all, 2, members, &part);
    MPI_Comm_create_group(MPI_COMM_WORLD, part, 0, &comm);
    MPI_Group_free(&part);
    return comm;
}

/* One tag serves several groups, of which rank 0 makes more than the others. */
int main(void)
{
    int x = 1, sum;
    MPI_Group all;
    MPI_Comm comm;

    begin();
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    if (rank != 1) {
        comm = make(all, 0, 2);
        MPI_Comm_free(&comm);
    }
    for (int i = 0; i < 2 && rank != 2; i++) {
        comm = make(all, 0, 1);
        if (i == 0)
            MPI_Bcast(&x, 1, MPI_INT, 0, comm);
        else
            MPI_Allreduce(&x, &sum, 1, MPI_INT, MPI_SUM, comm);
        MPI_Comm_free(&comm);
    }
    MPI_Group_free(&all);
    MPI_Finalize();
    return 0;
}
