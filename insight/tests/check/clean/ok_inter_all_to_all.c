/* ranks: 5 */
#include "program.h"

int main(void)
{
    MPI_Comm inter;
    int x[6] = {0}, y[6], mine[3], theirs[3], first[3] = {0, 2, 4}, groups, others;
    MPI_Datatype types[3] = {MPI_INT, MPI_INT, MPI_INT};
    int at[3] = {0, 8, 16};

    begin();
    inter = between(2);
    groups = rank < 2;
    others = groups ? 3 : 2;
    for (int i = 0; i < 3; i++) { /* the ranks of the first group send 2 items each, those of the second 1 */
        mine[i] = groups ? 2 : 1;
        theirs[i] = groups ? 1 : 2;
    }
    MPI_Barrier(inter);
    MPI_Allgather(x, mine[0], MPI_INT, y, theirs[0], MPI_INT, inter);
    MPI_Allgatherv(x, mine[0], MPI_INT, y, theirs, first, MPI_INT, inter);
    MPI_Alltoall(x, mine[0], MPI_INT, y, theirs[0], MPI_INT, inter);
    MPI_Alltoallv(x, mine, first, MPI_INT, y, theirs, first, MPI_INT, inter);
    MPI_Alltoallw(x, mine, at, types, y, theirs, at, types, inter);
    MPI_Allreduce(x, y, 3, MPI_INT, MPI_MIN, inter);
    MPI_Reduce_scatter_block(x, y, others, MPI_INT, MPI_SUM, inter);
    theirs[0] = 1;
    theirs[1] = groups ? 5 : 2;
    theirs[2] = 3;
    MPI_Reduce_scatter(x, y, theirs, MPI_INT, MPI_SUM, inter);
    MPI_Comm_free(&inter);
    MPI_Finalize();
    return 0;
}
