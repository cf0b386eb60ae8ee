#include "cmd/transports.h"

#include "plain/json.h"

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

void transports_print_json(void)
{
    printf("\"transports\": [\"self\", \"shm\"%s], ", *INKLING_LIBFABRIC ? ", \"ofi\"" : "");
    json_write_member(stdout, "", "libfabric", *INKLING_LIBFABRIC ? INKLING_LIBFABRIC : NULL);
    printf(", \"launchers\": [\"mpiexec\", \"PMI-1\"%s], ", *INKLING_PMIX ? ", \"PMIx\"" : "");
    json_write_member(stdout, "", "libpmix", *INKLING_PMIX ? INKLING_PMIX : NULL);
}
