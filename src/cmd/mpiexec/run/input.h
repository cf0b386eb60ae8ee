/* input: passes mpiexec's standard input to rank 0; the others read /dev/null.
 *
 * Rank 0 inherits a file or pipe. A terminal belongs to mpiexec's process group, so mpiexec reads it, while
 * it is in the foreground, and forwards the lines through a pipe.
 */
#ifndef CMD_MPIEXEC_RUN_INPUT_H
#define CMD_MPIEXEC_RUN_INPUT_H

#include "cmd/mpiexec/job.h"

int input_open(void);
/* The descriptor that becomes the rank's standard input; -1: mpiexec's own. */
int input_for(int rank);
/* Called once the ranks have started: the terminal to watch; -1: none. */
int input_terminal(void);
/* The terminal may have input: forwards it. Returns whether to go on watching. */
bool input_forward(void);
/* Whether mpiexec may read the terminal now. */
bool input_is_foreground(void);

#endif
