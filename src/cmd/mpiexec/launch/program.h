/* program: where the program of one part of the command line is. */
#ifndef CMD_MPIEXEC_LAUNCH_PROGRAM_H
#define CMD_MPIEXEC_LAUNCH_PROGRAM_H

#include "cmd/mpiexec/job.h"

/* Sets app->program. A name with '/' is looked for from the working directory of the app, then from
 * mpiexec's; one without in -path, then in $PATH, then in those directories. The note of an error has the
 * nearest name. */
int program_find(struct app *app);

/* Whether PATH leads to a program of this name. */
bool program_is_in_path(const char *name);

#endif
