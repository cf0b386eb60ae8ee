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

/* far_ranks: receives what ranks tell that another launcher has started for this mpiexec: lines of the report on hints, and what they
 * counted (run/told.h).
 *
 * They have no PMI connection to it, so it opens a port for them, and they call it (boot/report_sender.c says what they send).
 * Who calls proves that it knows the port's secret, which only the launcher's environment has. A connection on which something
 * else comes is closed. Ranks whose connection did not end as it should are named at the end.
 */

/* Whether ranks will have something to tell. */
bool far_ranks_tell(const struct job *job);
/* Opens the port, before the launcher is started. */
int far_ranks_open(struct job *job);
/* A descriptor that is readable when there is something to receive; -1: there is no port. */
int far_ranks_events(void);
/* Receives what has come. Returns when to look again, in nanoseconds of the clock; 0: only after an event. */
uint64_t far_ranks_receive(struct job *job, uint64_t now);
/* After the launcher's end: receives the last that they told, and says whose part is missing. */
void far_ranks_close(struct job *job);
/* The exit code of the job, given the launcher's: 0 where ranks have died, the job has survived that (--survive), and others have finalized. */
int far_ranks_code(int code);

#endif
