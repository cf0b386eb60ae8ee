/* ranks: 2  fault: tolerance  says: the arrays of counts, displacements or datatypes of MPI_Alltoallw_init have changed since the call */
#include "program.h"

int main(void)
{
    int in[2] = {1, 2}, out[2] = {-1, -1}, counts[2] = {1, 1}, displs[2] = {0, sizeof(int)};
    MPI_Datatype types[2] = {MPI_INT, MPI_INT};
    MPI_Request request;

    begin();
    MPI_Alltoallw_init(in, counts, displs, types, out, counts, displs, types, MPI_COMM_WORLD, MPI_INFO_NULL,
                       &request);
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    types[0] = MPI_DATATYPE_NULL;
    MPI_Request_free(&request); /* FAULT */
    MPI_Finalize();
    return out[1] != 1 + rank;
}
