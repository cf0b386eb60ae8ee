/* ranks: 2 */
#include "program.h"

int main(void)
{
    MPI_Session s[2];
    MPI_Group g[2], u;
    MPI_Comm c[2];
    int x = 1, y;
    for (int i = 0; i < 2; i++) {
        MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &s[i]);
        MPI_Group_from_session_pset(s[i], "mpi://WORLD", &g[i]);
        MPI_Comm_create_from_group(g[i], i ? "b" : "a", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &c[i]);
    }
    for (int i = 0; i < 2; i++) {
        MPI_Allreduce(&x, &y, 1, MPI_INT, MPI_SUM, c[i]);
        MPI_Group_union(g[i], g[i], &u);
        MPI_Group_free(&u);
        MPI_Group_free(&g[i]);
        MPI_Comm_free(&c[i]);
        MPI_Session_finalize(&s[i]);
    }
    return 0;
}
