#include "boot/singleton.h"

#include "base/log.h"

#include <stdlib.h>

/* How other launchers tell a process its rank and the number of processes. */
struct stranger {
    const char *name, *rank, *size; /* size NULL: it does not tell; then any rank is a sign of several */
};

static const struct stranger strangers[] = {
    {"Open MPI's mpirun", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
    {"Slurm's srun", "SLURM_PROCID", "SLURM_STEP_NUM_TASKS"},
    {"a PMI launcher without PMI_FD", "PMI_RANK", "PMI_SIZE"},
    {"PALS", "PALS_RANKID", "PALS_SIZE"},
    {"MVAPICH's mpirun_rsh", "MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE"},
    {"a PMIx launcher", "PMIX_RANK", NULL},
};

void singleton_warn(void)
{
    for (size_t i = 0; i < sizeof strangers / sizeof *strangers; i++) {
        const struct stranger *s = &strangers[i];
        const char *rank = getenv(s->rank);
        const char *size = s->size ? getenv(s->size) : NULL;

        if (!rank || (s->size && !size))
            continue;
        if (atoi(rank) == 0 && (!size || atoi(size) > 1))
            log_warn("started by %s (%s=%s), which Inkling cannot join: every process is an "
                     "MPI_COMM_WORLD of its own; start the program with Inkling's mpiexec (or mpiexec.hydra)",
                     s->name, s->size ? s->size : s->rank, s->size ? size : rank);
        return;
    }
}
