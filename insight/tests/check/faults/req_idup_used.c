/* ranks: 1  fault: request  says: whose request is not complete */
#include "program.h"

/* The name may be set, and messages be sent, when the request is complete. */
int main(void)
{
    MPI_Comm twin;
    MPI_Request request;

    begin();
    MPI_Comm_idup(MPI_COMM_WORLD, &twin, &request);
    MPI_Comm_set_name(twin, "early"); /* FAULT */
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Comm_free(&twin);
    MPI_Finalize();
    return 0;
}
