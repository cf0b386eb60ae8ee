/* advise_verb of a build without insight/ (make lib). */
#include "cmd/inkling.h"

#include "plain/fail.h"

#include <mpi.h>

int advise_verb(const char *folder, bool as_json, bool has_all)
{
    (void)as_json;
    (void)has_all;
    return fail(MPI_ERR_OTHER,
                "%.256s: this build has no insight library; build it with make instead of make lib", folder);
}
