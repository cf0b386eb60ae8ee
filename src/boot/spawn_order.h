/* spawn_order: starting processes as a job of their own (MPI-5.0 section 11.8).
 *
 * A spawned job has an mpiexec of its own. Where our mpiexec started this process, that one starts it; else
 * this process does, with the mpiexec beside the library. The new mpiexec gets two descriptors (--spawned
 * CORD ORDER).
 *
 * It starts the processes itself, or, where some are for other hosts, has one process: the launcher that
 * starts them (cmd/mpiexec/launch/remote.h).
 *
 * The order is a file of lists, each a decimal number of words and then the words, each closed by NUL. The
 * first list is the working directory of the process that spawns and its environment, as NAME=VALUE. Each
 * other list is one part of mpiexec's command line.
 *
 * The control is a socket. mpiexec writes one struct spawn_report on it when the processes run, or cannot. From
 * then on its end tells either side that the other one has ended: a job that loses its spawner ends too,
 * unless it was let go, which is a byte on the control. So whatever dies, nothing is left behind. A job that is
 * not even accepted, another byte, was an error of the spawner's call, and its failures do not count.
 */
#ifndef BOOT_SPAWN_ORDER_H
#define BOOT_SPAWN_ORDER_H

#include "base/fail.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    SPAWN_PARTS_MAX = 4096,
    SPAWN_ACCEPT = 'a', /* the bytes */
    SPAWN_LET_GO = 'g'
};

struct spawn_report {
    char note[FAIL_NOTE_SIZE];      /* why nothing was started; "": all was */
    int32_t parts;                  /* of the command line */
    int32_t count[SPAWN_PARTS_MAX]; /* processes of each part; the message ends with the last */
};

/* What to start. */
struct spawn_order {
    char *bytes;
    size_t used, room;
    size_t list;        /* the last one: where its count stands */
    unsigned words;     /* how many it has */
    bool is_incomplete; /* memory was out */
};

/* Begins with the list of this process's directory and environment. */
void spawn_order_begin(struct spawn_order *o);
/* Begins the next list; words go to the last. */
void spawn_order_list(struct spawn_order *o);
void spawn_order_word(struct spawn_order *o, const char *word);
void spawn_order_free(struct spawn_order *o);

/* Asks for a job; *control is the caller's. */
int spawn_start(const struct spawn_order *o, int *control);
/* What came of it, when that is known; *heard says whether. An error: nothing was started. Does not block. */
int spawn_hear(int control, struct spawn_report *report, bool *heard);
/* Whether the job has ended. */
bool spawn_is_over(int control);
/* Its processes have become part of the program. */
void spawn_accept(int control);
/* The job goes on alone; closes the control. */
void spawn_let_go(int control);

#endif
