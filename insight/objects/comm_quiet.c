#include "insight/objects/comm_loss.h"

MPI_Errhandler comm_quiet_begin(MPI_Comm comm)
{
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;

    if (!real.Comm_get_errhandler(comm, &handler))
        real.Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    return handler;
}

void comm_quiet_end(MPI_Comm comm, MPI_Errhandler handler)
{
    if (handler == MPI_ERRHANDLER_NULL)
        return;
    real.Comm_set_errhandler(comm, handler);
    if (handler != MPI_ERRORS_RETURN && handler != MPI_ERRORS_ARE_FATAL && handler != MPI_ERRORS_ABORT)
        real.Errhandler_free(&handler);
}

bool comm_quiet_agree(MPI_Comm comm, bool mine)
{
    MPI_Errhandler handler = comm_quiet_begin(comm);
    int flag = mine, all = 0, error = MPI_ERR_UNSUPPORTED_OPERATION;

    if (real.X_Comm_agree)
        error = real.X_Comm_agree(comm, &flag);
    if (!error || comm_loss_of_error(error) != LOSS_NOT)
        all = flag;
    else
        real.Allreduce(&flag, &all, 1, MPI_INT, MPI_MIN, comm);
    comm_quiet_end(comm, handler);
    return all;
}
