/* variables: what the ranks find in their environment; documented in boot/boot.h. */
#ifndef CMD_MPIEXEC_LAUNCH_VARIABLES_H
#define CMD_MPIEXEC_LAUNCH_VARIABLES_H

#include "cmd/mpiexec/job.h"

/* The environment of rank `number`, which finds its PMI socket at pmi_fd. Valid until the next call. */
char **variables_of(const struct job *job, int number, int pmi_fd);

/* NAME=VALUE of what another launcher's processes of this part must find: what was set on the command line,
 * and what MPI_INFO_ENV tells; with `all`, what mpiexec found as well. */
void variables_list(const struct job *job, const struct app *app, bool all, struct words *words);
/* Takes out of mpiexec's own environment what says that it is itself a process of some job. */
void variables_clean(void);

#endif
