/* translation: settings of Open MPI (MCA parameters) and MPICH (MPIR_CVAR_ variables) that mean what one of Inkling's does. */
#ifndef CMD_MPIEXEC_COMMAND_LINE_TRANSLATION_H
#define CMD_MPIEXEC_COMMAND_LINE_TRANSLATION_H

#include "cmd/mpiexec/job.h"

/* Takes an MCA parameter of the command line over, or notes that it is ignored. */
void translation_take_mca(struct job *job, const char *name, const char *value);
/* Takes over what is set in the environment: mpiexec's, and what the command line sets for the ranks. What has no equivalent is not
 * mentioned. A setting of Inkling's own goes first. */
void translation_take_environment(struct job *job);

#endif
