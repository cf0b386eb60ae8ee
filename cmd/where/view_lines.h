/* view_lines: what was seen of the ranks of a job, as lines for another host, and back.
 *
 * `inkling where --lines JOB` prints them on each host of a job, and the command that asked reads them (far_hosts.h). A line begins
 * with the rank, or "job", and the name of a record; its fields follow in the order of the tables in view_lines.c. Both sides are the
 * same version, which the first line says. Clocks of hosts differ, so times are ages. A rank counts once its last line has come.
 */
#ifndef CMD_WHERE_VIEW_LINES_H
#define CMD_WHERE_VIEW_LINES_H

#include "cmd/where/job_view.h"

#include <stdio.h>

/* After job_look_here. */
void view_lines_write(FILE *out, const struct job_view *job);
/* Adds the ranks that are not there yet. came_ns: the clock when the lines had come. False: they are none, or of another version. */
bool view_lines_read(FILE *in, struct job_view *job, uint64_t came_ns);

#endif
