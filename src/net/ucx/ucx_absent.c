/* Replaces this folder's other files where UCX's headers were missing at build time. */
#include "boot/boot.h"
#include "net/transport.h"
#include "plain/fail.h"

#include <mpi.h>

static const char *ucx_lacks(void)
{
    return "this Inkling was built without UCX: build it where libucx-dev is installed";
}

static int ucx_absent_open(void)
{
    return fail(MPI_ERR_OTHER, "the job spans hosts (INKLING_TRANSPORT may also have said so), and %s",
                ucx_lacks());
}

static bool ucx_absent_reaches(int process)
{
    (void)process;
    return false;
}

extern const struct transport ucx_transport;
const struct transport ucx_transport = {.name = "ucx",
                                        .lacks = ucx_lacks,
                                        .reach = REACH_NETWORK,
                                        .open = ucx_absent_open,
                                        .admit = ucx_absent_open,
                                        .reaches = ucx_absent_reaches};
