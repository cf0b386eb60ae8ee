/* A build without the headers of ncurses. */
#include "cmd/where/screen.h"

#include <stdio.h>

int screen_run(struct job_view *job)
{
    (void)job;
    fprintf(
        stderr,
        "inkling: where --watch: this build has no headers of ncurses (apt install libncurses-dev; make)\n");
    return 1;
}
