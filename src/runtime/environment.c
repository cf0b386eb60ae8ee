/* Procedures that need only this process: versions, clock, addresses. */
#include "runtime/runtime.h"

#include "plain/clock.h"
#include "plain/fail.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

int environment_get_version(int *version, int *subversion)
{
    *version = MPI_VERSION;
    *subversion = MPI_SUBVERSION;
    return MPI_SUCCESS;
}

int environment_get_library_version(char *version, int *length)
{
    *length = snprintf(version, MPI_MAX_LIBRARY_VERSION_STRING,
                       "Inkling " INKLING_VERSION ", MPI %d.%d, ABI %d.%d, compiler " __VERSION__
#ifdef NDEBUG
                       ", optimised",
#else
                       ", for debugging",
#endif
                       MPI_VERSION, MPI_SUBVERSION, MPI_ABI_VERSION, MPI_ABI_SUBVERSION);
    return MPI_SUCCESS;
}

/* The host's name as the kernel has it; no name service is asked. */
int environment_get_processor_name(char *name, int *length)
{
    if (gethostname(name, MPI_MAX_PROCESSOR_NAME))
        return fail(MPI_ERR_OTHER, "the host has no name: %s", strerror(errno));
    name[MPI_MAX_PROCESSOR_NAME - 1] = '\0';
    *length = (int)strlen(name);
    return MPI_SUCCESS;
}

double environment_wtime(void)
{
    return (double)clock_ns() * 1e-9;
}

double environment_wtick(void)
{
    struct timespec tick;

    if (clock_getres(CLOCK_MONOTONIC, &tick))
        return 1e-9;
    return (double)tick.tv_sec + (double)tick.tv_nsec * 1e-9;
}

int environment_get_address(const void *location, MPI_Aint *address)
{
    *address = (MPI_Aint)location;
    return MPI_SUCCESS;
}

/* Addresses wrap; signed integers must not. */
MPI_Aint environment_aint_add(MPI_Aint base, MPI_Aint disp)
{
    return (MPI_Aint)((uintptr_t)base + (uintptr_t)disp);
}

MPI_Aint environment_aint_diff(MPI_Aint left, MPI_Aint right)
{
    return (MPI_Aint)((uintptr_t)left - (uintptr_t)right);
}

/* There is nothing to control. A profiler replaces this procedure by its own. */
int environment_pcontrol(int level)
{
    (void)level;
    return MPI_SUCCESS;
}
