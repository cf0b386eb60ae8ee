/* ranks: 2 */
#include "program.h"

int main(void)
{
    int given[10] = {0}, *got = malloc(10 * sizeof *got), *small = malloc(4), *mem, (*rows)[5];
    int counts[2] = {4, 4}, displs[2] = {0, 4};
    MPI_Datatype column, last, pair;
    MPI_Aint address[2];

    begin();
    MPI_Type_vector(4, 1, 5, MPI_INT, &column);
    MPI_Type_create_resized(column, 0, sizeof(int), &last);
    MPI_Type_commit(&last);
    MPI_Alloc_mem(40, MPI_INFO_NULL, &mem);
    rows = calloc(4, sizeof *rows);
    small = realloc(small, 40); /* grown */
    MPI_Sendrecv(given, 4, MPI_INT, 1 - rank, 0, got, 10, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Sendrecv(given, 2, MPI_INT, 1 - rank, 0, got + 8, 2, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Sendrecv(small, 10, MPI_INT, 1 - rank, 0, mem, 10, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Sendrecv(given, 4, MPI_INT, 1 - rank, 0, &rows[0][4], 1, last, 1 - rank, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE); /* the last column ends with the array */
    MPI_Sendrecv(given, 10, MPI_INT, MPI_PROC_NULL, 0, small, 1000, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE); /* nobody writes there */
    /* not significant elsewhere */
    MPI_Gather(given, 1, MPI_INT, rank == 0 ? got : small, rank == 0 ? 1 : 1000, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Gatherv(given, 4, MPI_INT, &rows[0][0], counts, displs, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Get_address(got, &address[0]); /* blocks that lie apart */
    MPI_Get_address(mem, &address[1]);
    MPI_Type_create_hindexed_block(2, 5, address, MPI_INT, &pair);
    MPI_Type_commit(&pair);
    MPI_Sendrecv(given, 10, MPI_INT, 1 - rank, 0, MPI_BOTTOM, 1, pair, 1 - rank, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    free(got);
    got = malloc(20); /* perhaps at the same place */
    MPI_Sendrecv(given, 5, MPI_INT, 1 - rank, 0, got, 5, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Type_free(&pair);
    MPI_Type_free(&last);
    MPI_Type_free(&column);
    MPI_Free_mem(mem);
    free(rows);
    free(small);
    free(got);
    MPI_Finalize();
    return 0;
}
