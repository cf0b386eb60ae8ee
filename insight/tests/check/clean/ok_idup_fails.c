/* ranks: 2 */
#include "program.h"

static int refuse(MPI_Comm comm, int keyval, void *extra, void *in, void *out, int *flag)
{
    (void)comm, (void)keyval, (void)extra, (void)in, (void)out, (void)flag;
    return rank == 0 ? MPI_ERR_OTHER : MPI_SUCCESS;
}

int main(void)
{
    MPI_Comm comm, dup;
    MPI_Request request;
    int keyval, value;

    begin();
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    MPI_Comm_create_keyval(refuse, MPI_COMM_NULL_DELETE_FN, &keyval, NULL);
    MPI_Comm_set_attr(comm, keyval, &value);
    if (MPI_Comm_idup(comm, &dup, &request) == MPI_SUCCESS)
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Comm_free_keyval(&keyval);
    MPI_Barrier(comm);
    MPI_Comm_free(&comm);
    MPI_Finalize();
    return 0;
}
