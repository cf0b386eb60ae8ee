/* program: finds the program of one part of the command line. */
#ifndef CMD_MPIEXEC_LAUNCH_PROGRAM_H
#define CMD_MPIEXEC_LAUNCH_PROGRAM_H

#include "cmd/mpiexec/job.h"

/* Sets app->program. A name with '/' is looked for relative to the working directory of the app, then to
 * mpiexec's. Any other name is looked for in -path, then in $PATH, then in those two directories. The note of
 * an error has the nearest name. */
int program_find(struct app *app);

/* Whether PATH has a program of this name. */
bool program_is_in_path(const char *name);

#endif
