#include "plain/privilege.h"

#include "plain/fail.h"

#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

/* What Inkling reads, and hwloc, with which programs are linked. */
static const char *const prefixes[] = {"INKLING_", "PMI", "OMPI_", "SLURM_", "HWLOC_", NULL};

static bool was_rank;

extern char **environ;

static bool is_believed(const char *entry)
{
    for (const char *const *prefix = prefixes; *prefix; prefix++)
        if (strncmp(entry, *prefix, strlen(*prefix)) == 0)
            return true;
    return false;
}

static void remove_believed(void)
{
    char **kept = environ;

    for (char **entry = environ; *entry; entry++)
        if (!is_believed(*entry))
            *kept++ = *entry;
    *kept = NULL;
}

__attribute__((constructor)) static void privilege_load(void)
{
    if (!privilege_is_raised() || !environ)
        return;
    was_rank = getenv("INKLING_JOB_NAME") || getenv("PMI_RANK") || getenv("PMIX_RANK");
    remove_believed();
}

bool privilege_is_raised(void)
{
    return getauxval(AT_SECURE) != 0;
}

int privilege_check_job(void)
{
    return was_rank ? fail(MPI_ERR_OTHER,
                           "a program with more rights than the user who starts it (setuid, setgid, "
                           "capabilities) can be no rank of that user's job")
                    : MPI_SUCCESS;
}

int privilege_check_library(const char *name)
{
    return privilege_is_raised()
               ? fail(MPI_ERR_UNSUPPORTED_OPERATION,
                      "%s is not loaded into a program with more rights than the user who started it", name)
               : MPI_SUCCESS;
}
