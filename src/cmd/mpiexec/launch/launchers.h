/* launchers: the launchers that start ranks on other hosts, and how each is told what to start.
 *
 * What is the same for all: the ranks speak PMI-1 or PMIx with it, and a rank's variables are set by env(1)
 * where it starts, since each launcher has its own way with the characters in them.
 */
#ifndef CMD_MPIEXEC_LAUNCH_LAUNCHERS_H
#define CMD_MPIEXEC_LAUNCH_LAUNCHERS_H

#include "cmd/mpiexec/job.h"

struct remote_launcher {
    const char *command;
    const char *needs; /* the variable that says that it can be used here; NULL: it can */
    /* hosts: words "name:slots". */
    int (*make_line)(const struct job *job, const struct words *hosts, struct words *line);
};

/* The best first; a NULL command ends the list. */
extern const struct remote_launcher launchers[];

#endif
