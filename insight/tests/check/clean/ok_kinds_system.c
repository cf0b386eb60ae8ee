/* ranks: 2 */
#include "program.h"

int main(void)
{
    void *freed, *block[50];
    MPI_Comm comm;

    begin();
    MPI_Alloc_mem(400, MPI_INFO_NULL, &freed);
    MPI_Free_mem(freed);
    for (int i = 0; i < 50; i++)
        block[i] = calloc(1, 400); /* perhaps where it was */
    comm = hinted("mpi_assert_memory_alloc_kinds", "system");
    for (int i = 0; i < 50; i++)
        MPI_Bcast(block[i], 100, MPI_INT, 0, comm);
    MPI_Comm_free(&comm);
    for (int i = 0; i < 50; i++)
        free(block[i]);
    MPI_Finalize();
    return 0;
}
