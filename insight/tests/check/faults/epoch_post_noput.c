/* ranks: 2  fault: epoch */
#include "program.h"

int main(void)
{
    int m[4] = {0}, v = 9, o;
    MPI_Win w;
    MPI_Group g, h;
    begin();
    o = 1 - rank;
    MPI_Win_create(m, sizeof m, sizeof *m, MPI_INFO_NULL, MPI_COMM_WORLD, &w);
    MPI_Win_get_group(w, &g);
    MPI_Group_incl(g, 1, &o, &h);
    if (rank == 0) {
        MPI_Win_post(h, MPI_MODE_NOPUT, w); /* FAULT */
        MPI_Win_wait(w);
    } else {
        MPI_Win_start(h, 0, w);
        MPI_Put(&v, 1, MPI_INT, 0, 3, 1, MPI_INT, w);
        MPI_Win_complete(w);
    }
    MPI_Group_free(&g);
    MPI_Group_free(&h);
    MPI_Win_free(&w);
    MPI_Finalize();
    return 0;
}
