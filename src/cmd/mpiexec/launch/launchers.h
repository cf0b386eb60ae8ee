/* launchers: the launchers that start ranks on other hosts, and the command line of each.
 *
 * With all of them the ranks speak PMI-1 or PMIx. env(1) sets a rank's variables on its host, because each
 * launcher treats special characters in them differently.
 */
#ifndef CMD_MPIEXEC_LAUNCH_LAUNCHERS_H
#define CMD_MPIEXEC_LAUNCH_LAUNCHERS_H

#include "cmd/mpiexec/job.h"

struct remote_launcher {
    const char *command;
    const char *needs; /* the variable that must be set for it to be usable here; NULL: none */
    /* Makes the command line. hosts: words "name:slots". */
    int (*make_line)(const struct job *job, const struct words *hosts, struct words *line);
};

/* Best first. A NULL command ends the list. */
extern const struct remote_launcher launchers[];

#endif
