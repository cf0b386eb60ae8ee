/* variables: the environment of the ranks. boot/boot.h documents it. */
#ifndef CMD_MPIEXEC_LAUNCH_VARIABLES_H
#define CMD_MPIEXEC_LAUNCH_VARIABLES_H

#include "cmd/mpiexec/job.h"

/* The environment of rank `number`, whose PMI socket is pmi_fd. Valid until the next call. */
char **variables_of(const struct job *job, int number, int pmi_fd);

/* Lists, as NAME=VALUE, what processes of this part need when another launcher starts them, besides mpiexec's own
 * environment: what the command line sets and what MPI_INFO_ENV reports, which is on mpiexec's command line too. What a
 * spawned job sets is on none: it goes through the launcher's environment under names of its own, which
 * variables_name_unseen lists, each after this option. A shell, which variables_name_given adds in front of the program,
 * gives the values their names back; some shells drop variables of the environment whose names are none of theirs. */
void variables_list(const struct job *job, const struct app *app, struct words *words);
void variables_name_unseen(const struct job *job, const char *option, struct words *words);
void variables_name_given(const struct job *job, const struct app *app, struct words *words);
/* Lists the names of mpiexec's own environment, each after this option. */
void variables_name_all(const char *option, struct words *words);
/* Removes from mpiexec's own environment what says that it is a process of a job. */
void variables_clean(void);

#endif
