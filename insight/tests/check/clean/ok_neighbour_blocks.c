/* ranks: 2 */
#include "program.h"

/* Blocks of no neighbour may be used, and so may what lies between the rows of a subarray. */
int main(void)
{
    int dims[1] = {2}, periods[1] = {0}, in[2], out[2], sizes[2] = {6, 6}, part[2] = {4, 2},
        start[2] = {1, 3};
    int grid[6][6] = {{0}}, got[6][6], position = 0;
    char packed[64];
    MPI_Comm line;
    MPI_Datatype corner;
    MPI_Request request[3];

    begin();
    out[0] = out[1] = rank;
    in[0] = in[1] = -1;
    MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, 0, &line);
    MPI_Type_create_subarray(2, sizes, part, start, MPI_ORDER_FORTRAN, MPI_INT, &corner);
    MPI_Type_commit(&corner);
    MPI_Ineighbor_alltoall(out, 1, MPI_INT, in, 1, MPI_INT, line, &request[0]);
    in[rank] = 5;
    out[rank] = 6;
    MPI_Isend(grid, 1, corner, 1 - rank, 0, MPI_COMM_WORLD, &request[1]);
    MPI_Irecv(packed, 32, MPI_PACKED, 1 - rank, 1, MPI_COMM_WORLD, &request[2]);
    for (int i = 0; i < 6; i++)
        for (int k = 0; k < 6; k++)
            if (k < 1 || k > 4 || i < 3 || i > 4) /* Fortran's first subscript is C's last */
                grid[i][k] = 1;
    position = 32;
    MPI_Pack(&rank, 1, MPI_INT, packed, 64, &position, MPI_COMM_WORLD);
    MPI_Send(grid[5], 2, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD);
    MPI_Recv(got, 1, corner, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Waitall(3, request, MPI_STATUSES_IGNORE);
    MPI_Type_free(&corner);
    MPI_Comm_free(&line);
    MPI_Finalize();
    return 0;
}
