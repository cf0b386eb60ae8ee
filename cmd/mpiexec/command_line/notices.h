/* notices: what mpiexec says of options and settings that users have for other launchers: in one line of a job which it ignores, and
 * which it takes for settings of its own. `inkling explain` has the rest. */
#ifndef CMD_MPIEXEC_COMMAND_LINE_NOTICES_H
#define CMD_MPIEXEC_COMMAND_LINE_NOTICES_H

#include "cmd/mpiexec/job.h"

/* `what` has no meaning here, because of `why`. */
void notices_ignore(struct job *job, char *what, const char *why);
/* `what` has the same meaning as `ours`, which the job does. */
void notices_translate(struct job *job, char *what, char *ours);
/* `what` has the meaning that mpiexec's own table says. Only `inkling explain` shows it. */
void notices_understand(struct job *job, char *what, const char *meaning);

/* The line; nothing if there is nothing to say. */
void notices_print(const struct job *job);
/* Everything, as a table on standard output. */
void notices_explain(const struct job *job);

/* translation: settings of Open MPI (MCA parameters) and MPICH (MPIR_CVAR_ variables) that mean what one of Inkling's does. */

/* Takes an MCA parameter of the command line over, or notes that it is ignored. */
void translation_take_mca(struct job *job, const char *name, const char *value);
/* Takes over what is set in the environment: mpiexec's, and what the command line sets for the ranks. What has no equivalent is not
 * mentioned. A setting of Inkling's own goes first. */
void translation_take_environment(struct job *job);

/* What `inkling doctor COMMAND LINE` finds in a command line. Nothing is started.
 *
 * Prints findings on the line, the number of ranks, standard input and the programs. error: of parsing, whose note is still there.
 * Returns the exit code: 0 if the job could be started. */
int notices_examine(struct job *job, int error);

#endif
