/* What the loss of a process means to this job. */
#include "hint/hint.h"
#include "net/net.h"

#include <mpi.h>

bool net_survives(void)
{
    return hint_process.value[HINT_SURVIVE];
}

int net_loss_class(void)
{
    return net_survives() ? MPIX_ERR_PROC_FAILED : MPI_ERR_PROC_ABORTED;
}
