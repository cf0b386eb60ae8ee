/* ranks: 4  fault: buffer  needs: guards */
#include "program.h"

int main(void)
{
    int dims[1] = {4}, periods[1] = {1}, in[4] = {0}, out[4] = {0}, counts[2] = {1, 2}, displs[2] = {0, 2};
    int sum;
    MPI_Comm ring;
    MPI_Request request;

    begin();
    counts[1] = 1;
    MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, 0, &ring);
    MPI_Ineighbor_alltoallv(out, counts, displs, MPI_INT, in, counts, displs, MPI_INT, ring, &request);
    sum = in[1] + in[3];
    sum += in[2]; /* FAULT */
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Comm_free(&ring);
    MPI_Finalize();
    return sum;
}
