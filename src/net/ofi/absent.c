/* Replaces this folder's other files where libfabric's headers were missing at build time. */
#include "boot/boot.h"
#include "net/transport.h"
#include "plain/fail.h"

#include <mpi.h>

static int absent_open(void)
{
    return fail(
        MPI_ERR_OTHER,
        "the job spans hosts (INKLING_TRANSPORT may also have said so), and this Inkling was built without "
        "libfabric: build it where libfabric-dev is installed");
}

static bool absent_reaches(int process)
{
    (void)process;
    return false;
}

const struct transport ofi_transport = {.name = "ofi",
                                        .reach = REACH_NETWORK,
                                        .open = absent_open,
                                        .admit = absent_open,
                                        .reaches = absent_reaches};
