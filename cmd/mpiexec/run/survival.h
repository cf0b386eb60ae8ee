/* survival: mpiexec --survive. The job goes on when a rank dies; the others are told on the host page (net/shm/host_page.h). */
#ifndef CMD_MPIEXEC_RUN_SURVIVAL_H
#define CMD_MPIEXEC_RUN_SURVIVAL_H

#include "cmd/mpiexec/job.h"

/* Before the first rank is started. An error's note says why this cannot be. */
int survival_open(struct job *job);
/* Whether the job survives deaths. */
bool survival_is_on(void);
/* A rank has died: `how` says by what. Prints that, and tells the others. `code` is the job's if no rank ends well. */
void survival_death(struct job *job, int number, int code, const char *how);
/* The exit code of a job that was not ended: 0, a later failure's, or that of the first death if all have died. Those who
 * spawned a job go on without it. */
int survival_code(const struct job *job);

#endif
