/* ranks: 5 */
#include "program.h"

int main(void)
{
    MPI_Comm inter;
    int x[3] = {0}, y[9], counts[3] = {1, 2, 3}, first[3] = {0, 3, 6};

    begin();
    inter = between(2);
    for (int group = 0; group < 2; group++) {
        for (int root = 0; root < (group ? 3 : 2); root++) {
            int in_group = (rank >= 2) == group, is_root = in_group && (group ? rank - 2 : rank) == root;
            int says = is_root ? MPI_ROOT : in_group ? MPI_PROC_NULL : root, own = rank < 2 ? rank : rank - 2;
            int many = in_group && !is_root ? 3 + rank : 3; /* of those without a part nothing counts */

            MPI_Bcast(x, many, in_group && !is_root ? MPI_DOUBLE : MPI_INT, says, inter);
            MPI_Gather(x, in_group ? 7 : 3, MPI_INT, y, is_root ? 3 : 5, MPI_INT, says, inter);
            MPI_Scatter(y, is_root ? 3 : 5, MPI_INT, x, in_group ? 7 : 3, MPI_INT, says, inter);
            MPI_Gatherv(x, own + 1, MPI_INT, y, is_root ? counts : NULL, first, MPI_INT, says, inter);
            MPI_Scatterv(y, is_root ? counts : NULL, first, MPI_INT, x, own + 1, MPI_INT, says, inter);
            MPI_Reduce(x, y, many, MPI_INT, in_group && !is_root ? MPI_PROD : MPI_BOR, says, inter);
        }
    }
    MPI_Comm_free(&inter);
    MPI_Finalize();
    return 0;
}
