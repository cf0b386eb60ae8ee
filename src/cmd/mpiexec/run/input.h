/* input: mpiexec's standard input goes to rank 0; the others read /dev/null.
 *
 * Rank 0 inherits a file or pipe as it is. A terminal belongs to mpiexec's process group, so that mpiexec
 * reads it, while it is in the foreground, and hands the lines on through a pipe.
 */
#ifndef CMD_MPIEXEC_RUN_INPUT_H
#define CMD_MPIEXEC_RUN_INPUT_H

#include "cmd/mpiexec/job.h"

int input_open(void);
/* What becomes the rank's standard input; -1: mpiexec's own. */
int input_for(int rank);
/* Once the ranks have started: terminal to be watched, -1: nothing to do. */
int input_terminal(void);
/* The terminal may have something: hands it on. Returns whether to go on watching. */
bool input_forward(void);
/* Whether mpiexec may read the terminal now. */
bool input_is_foreground(void);

#endif
