/* Procedures that need only this process: versions, clock, addresses, memory. */
#include "runtime/runtime.h"

#include "boot/boot.h"
#include "making/hint_report.h"
#include "memory/memory.h"
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

/* MPI_Alloc_mem, and the report of its hints. */

static void alloc_mem_effect(const void *object, enum hint_id id, struct report_effect *effect)
{
    const struct hints *h = object;

    if (hint_table[id].acts_on == ACTS_ON_ALIGNMENT && hint_value(h, id) < 64)
        effect->absence = "memory begins so anyway";
}

/* Reports the use of the hints at once: no object remains to be asked later. */
static void alloc_mem_report(struct hints *h, MPI_Aint size)
{
    char title[64];

    snprintf(title, sizeof title, "memory of %lld bytes", (long long)size);
    hint_report_object(
        &(struct report_object){.kind = "memory", .title = title, .rank = boot.rank, .is_final = true}, h,
        alloc_mem_effect, h);
}

int runtime_alloc_mem(MPI_Aint size, struct info *info, void *block)
{
    struct hints h;
    size_t alignment;
    void *at;
    int error;

    if (size < 0)
        return fail(MPI_ERR_ARG, "size is %lld; memory has at least 0 bytes", (long long)size);
    hints_init(&h, ON_MEMORY);
    info_offer(info, &h, AT_CREATE, "MPI_Alloc_mem");
    alignment = (size_t)hint_value(&h, HINT_MINIMUM_MEMORY_ALIGNMENT);
    alloc_mem_report(&h, size);
    hints_fini(&h);
    error = memory_alloc((size_t)size, alignment, &at);
    if (!error)
        memcpy(block, &at, sizeof at);
    return error;
}
