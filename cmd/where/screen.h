/* screen: `inkling where --watch`: a screen of a job, drawn anew each second, by ncurses, which is loaded for it. */
#ifndef CMD_WHERE_SCREEN_H
#define CMD_WHERE_SCREEN_H

#include "cmd/where/far_hosts.h"

/* Until q is pressed or the job has ended. far: the other hosts, which tell of their ranks; NULL: there are none. Returns the exit code of
 * the command. */
int screen_run(struct job_view *job, struct far_watch *far);

#endif
