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

#endif
