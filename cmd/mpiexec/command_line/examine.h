/* examine: what `inkling doctor COMMAND LINE` finds in a command line. Nothing is started. */
#ifndef CMD_MPIEXEC_COMMAND_LINE_EXAMINE_H
#define CMD_MPIEXEC_COMMAND_LINE_EXAMINE_H

#include "cmd/mpiexec/job.h"

/* Prints findings on the line, the number of ranks, standard input and the programs. error: of parsing, whose note is still there.
 * Returns the exit code: 0 if the job could be started. */
int examine_line(struct job *job, int error);

#endif
