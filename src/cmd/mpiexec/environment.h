/* environment: what the ranks find in their environment; documented in boot/boot.h. */
#ifndef CMD_MPIEXEC_ENVIRONMENT_H
#define CMD_MPIEXEC_ENVIRONMENT_H

#include "cmd/mpiexec/job.h"

/* The environment of rank `number`, which finds its PMI socket at pmi_fd. Valid until the next call. */
char **environment_of(const struct job *job, int number, int pmi_fd);

#endif
