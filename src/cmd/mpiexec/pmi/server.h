/* server: mpiexec's side of the PMI-1 protocol with each rank. */
#ifndef CMD_MPIEXEC_PMI_SERVER_H
#define CMD_MPIEXEC_PMI_SERVER_H

#include "cmd/mpiexec/job.h"

/* Handles what has arrived from a rank. Closes its socket at the end of the stream. */
void server_handle(struct job *job, int number);
/* Takes a line that tells of hints, or what was counted, from this rank of the program. */
int server_take_told(struct job *job, int rank, const struct pmi_line *line);
/* Checks whether all ranks that can have reached the fence. Releases them if none is missing, and ends the
 * job if a missing one has exited. Called after each arrival, and when a rank exits. */
void server_check_fence(struct job *job);
/* Ends the job when a rank has ended without MPI_Init while others have completed it. */
void server_check_absent(struct job *job);

#endif
