/* ranks: 4  fault: buffer  line: guards */
#include "program.h"

/* The second neighbour's block is written to before it has gone. */
int main(void)
{
    int dims[1] = {4}, periods[1] = {1}, in[2], out[2];
    MPI_Comm ring;
    MPI_Request request;

    begin();
    out[0] = out[1] = rank;
    MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, 0, &ring);
    MPI_Ineighbor_alltoall(out, 1, MPI_INT, in, 1, MPI_INT, ring, &request);
    out[1] = -1; /* FAULT */
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Comm_free(&ring);
    MPI_Finalize();
    return 0;
}
