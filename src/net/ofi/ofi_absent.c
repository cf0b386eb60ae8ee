/* Replaces this folder's other files where libfabric's headers were missing at build time. */
#include "boot/boot.h"
#include "net/transport.h"
#include "plain/fail.h"

#include <mpi.h>

static const char *ofi_lacks(void)
{
    return "this Inkling was built without libfabric: build it where libfabric-dev is installed";
}

static int ofi_absent_open(void)
{
    return fail(MPI_ERR_OTHER, "the job spans hosts (INKLING_TRANSPORT may also have said so), and %s",
                ofi_lacks());
}

static bool ofi_absent_reaches(int process)
{
    (void)process;
    return false;
}

extern const struct transport ofi_transport;
const struct transport ofi_transport = {.name = "ofi",
                                        .lacks = ofi_lacks,
                                        .reach = REACH_NETWORK,
                                        .open = ofi_absent_open,
                                        .admit = ofi_absent_open,
                                        .reaches = ofi_absent_reaches};
