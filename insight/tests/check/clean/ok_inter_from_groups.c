/* ranks: 4 */
#include "session.h"

int main(void)
{
    MPI_Comm inter, dup, merged;
    MPI_Group all, first, others;
    int sum, x = 1;

    begin_session();
    MPI_Comm_group(comm, &all);
    MPI_Group_incl(all, 1, (int[]){0}, &first);
    MPI_Group_excl(all, 1, (int[]){0}, &others);
    MPI_Intercomm_create_from_groups(rank ? others : first, 0, rank ? first : others, 0, "two", MPI_INFO_NULL,
                                     MPI_ERRORS_ARE_FATAL, &inter);
    MPI_Comm_dup(inter, &dup);
    MPI_Bcast(&x, 1, MPI_INT, rank == 2 ? MPI_ROOT : rank == 0 ? 1 : MPI_PROC_NULL, dup);
    MPI_Intercomm_merge(dup, rank == 0, &merged);
    MPI_Allreduce(&x, &sum, 1, MPI_INT, MPI_SUM, merged);
    MPI_Comm_free(&merged);
    MPI_Comm_free(&dup);
    MPI_Comm_free(&inter);
    MPI_Group_free(&others);
    MPI_Group_free(&first);
    MPI_Group_free(&all);
    end_session();
    return 0;
}
