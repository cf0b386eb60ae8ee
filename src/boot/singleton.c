#include "boot/launcher.h"

#include "plain/fail.h"
#include "plain/log.h"

#include <mpi.h>
#include <stdlib.h>

/* The variables in which other launchers give a process its rank and the number of processes. */
struct other_launcher {
    const char *name, *rank, *size; /* size NULL: it does not give it; then any rank is a sign of several */
};

static const struct other_launcher others[] = {
    {"Slurm's srun", "SLURM_PROCID", "SLURM_STEP_NUM_TASKS"},
    {"a PMI launcher without PMI_FD", "PMI_RANK",
     "PMI_SIZE"}, /* Inkling's sets the variables of others, too */
    {"Open MPI's mpirun", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
    {"PALS", "PALS_RANKID", "PALS_SIZE"},
    {"MVAPICH's mpirun_rsh", "MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE"},
    {"a PMIx launcher", "PMIX_RANK", NULL},
};

void singleton_warn(const char *why)
{
    if (getenv("PMIX_NAMESPACE") && !getenv("PMIX_RANK"))
        return; /* started by a process of the job (see pmix.c), not by its launcher */
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        const struct other_launcher *s = &others[i];
        const char *rank = getenv(s->rank);
        const char *size = s->size ? getenv(s->size) : NULL;

        if (!rank || (s->size && !size))
            continue;
        if (atoi(rank) == 0 && (!size || atoi(size) > 1))
            log_warn("started by %s (%s=%s), which Inkling cannot join: every process is an "
                     "MPI_COMM_WORLD of its own; %s",
                     s->name, s->size ? s->size : s->rank, s->size ? size : rank,
                     why ? why
                         : "start the program with Inkling's mpiexec, mpiexec.hydra, prterun or srun "
                           "--mpi=pmix");
        return;
    }
}

/* No other process could get what is put. */
static int put_nothing(const char *key, const char *value)
{
    (void)key, (void)value;
    return MPI_SUCCESS;
}

static int get_nothing(int process, const char *key, char *value, size_t size)
{
    (void)process, (void)value, (void)size;
    return fail(MPI_ERR_OTHER, "%s: this process was started by no launcher, and has nobody to ask", key);
}

static bool find_nothing(int size, uint64_t *node)
{
    (void)size, (void)node;
    return false;
}

static int succeed(void)
{
    return MPI_SUCCESS;
}

static void abort_nothing(int code, const char *why)
{
    (void)code, (void)why;
}

const struct launcher singleton_launcher = {.name = "singleton",
                                            .put = put_nothing,
                                            .fence = succeed,
                                            .get = get_nothing,
                                            .find_nodes = find_nothing,
                                            .abort = abort_nothing,
                                            .close = succeed};
