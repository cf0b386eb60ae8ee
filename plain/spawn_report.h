/* spawn_report: what the process that spawns a job and the job's mpiexec tell each other.
 *
 * The order is a file of lists. Each list is a decimal number of words and then the words, each closed by
 * NUL. The first list is the working directory of the process that spawns and its environment, as NAME=VALUE.
 * Each other list is one part of mpiexec's command line.
 *
 * The control socket connects the spawning process and the new mpiexec. mpiexec writes one struct
 * spawn_report on it when the processes run, or cannot run. From then on each side sees the socket close when
 * the other has ended. A job whose spawning process ends is ended too, unless that has sent SPAWN_LET_GO, so
 * nothing is left behind. Until the spawning process has sent SPAWN_ACCEPT, a failure of the job is an error
 * of the call that spawned it, and its exit code does not count.
 */
#ifndef PLAIN_SPAWN_REPORT_H
#define PLAIN_SPAWN_REPORT_H

#include "plain/fail.h"

#include <stdint.h>

enum {
    SPAWN_PARTS_MAX = 4096,
    SPAWN_ACCEPT = 'a', /* bytes sent on the control socket */
    SPAWN_LET_GO = 'g'
};

struct spawn_report {
    char note[FAIL_NOTE_SIZE];      /* why nothing was started; "": everything was */
    int32_t parts;                  /* number of parts of the command line */
    int32_t count[SPAWN_PARTS_MAX]; /* processes of each part; the message ends with the last one */
};

#endif
