/* A build without the headers of ncurses. */
#include "cmd/where/screen.h"

#include <stdio.h>

int screen_run(struct job_view *job, struct far_watch *far)
{
    (void)job;
    (void)far;
    fprintf(
        stderr,
        "inkling: where --watch: this build has no headers of ncurses (apt install libncurses-dev; make)\n");
    return 1;
}
