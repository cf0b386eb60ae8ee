/* server: mpiexec's side of the PMI-1 conversation with each rank. */
#ifndef CMD_MPIEXEC_PMI_SERVER_H
#define CMD_MPIEXEC_PMI_SERVER_H

#include "cmd/mpiexec/job.h"

/* Handles what has arrived from a rank. Closes its socket at the end of the stream. */
void server_handle(struct job *job, int number);
/* All ranks that can have come to the fence: lets them go on when none is missing, and ends the job when a
 * missing one has exited. To be called whenever a rank exits, too. */
void server_check_fence(struct job *job);
/* Ends the job when a rank has ended without MPI_Init while others are past it. */
void server_check_absent(struct job *job);

#endif
