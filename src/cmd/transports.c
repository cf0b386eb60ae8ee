#include "cmd/transports.h"

#include <stdio.h>

/* INKLING_LIBFABRIC and INKLING_PMIX are the versions of the headers; "" if there were none. */
void transports_print(void)
{
    if (*INKLING_LIBFABRIC)
        printf("transports: self, shm, ofi (libfabric %s)\n", INKLING_LIBFABRIC);
    else
        printf("transports: self, shm; not ofi, so one host only: built without libfabric's headers "
               "(apt install libfabric-dev; make)\n");
    if (*INKLING_PMIX)
        printf("launchers:  mpiexec, PMI-1, PMIx (libpmix %s)\n", INKLING_PMIX);
    else
        printf("launchers:  mpiexec, PMI-1; not PMIx: built without libpmix's headers "
               "(apt install libpmix-dev; make)\n");
    printf("\n");
}
