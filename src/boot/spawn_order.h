/* spawn_order: starts processes as a job of their own (MPI-5.0 section 11.8).
 *
 * A spawned job has its own mpiexec. The mpiexec that started this process starts it; without one, this
 * process starts the mpiexec beside the library. The new mpiexec gets two descriptors (--spawned CONTROL
 * ORDER).
 *
 * It starts the processes itself. If some are for other hosts, it starts one process instead: the launcher
 * that starts them (cmd/mpiexec/launch/launch.h).
 *
 * plain/spawn_report.h says what the two send each other.
 */
#ifndef BOOT_SPAWN_ORDER_H
#define BOOT_SPAWN_ORDER_H

#include "plain/spawn_report.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What to start. */
struct spawn_order {
    char *bytes;
    size_t used, room;
    size_t list;        /* offset of the last list, where its count is */
    unsigned words;     /* words in it */
    bool is_incomplete; /* out of memory */
};

/* Begins with the list of this process's working directory and environment. */
void spawn_order_begin(struct spawn_order *o);
/* Begins the next list; spawn_order_word adds to the last list. */
void spawn_order_list(struct spawn_order *o);
void spawn_order_word(struct spawn_order *o, const char *word);
void spawn_order_free(struct spawn_order *o);

/* Requests the job; the caller owns *control. */
int spawn_start(const struct spawn_order *o, int *control);
/* Receives the report, if it has come (*heard). An error: nothing was started. Does not block. */
int spawn_receive(int control, struct spawn_report *report, bool *heard);
/* Whether the job has ended. */
bool spawn_is_over(int control);
/* Its processes are connected to this program now. */
void spawn_accept(int control);
/* The job no longer depends on this process; closes the control socket. */
void spawn_let_go(int control);

#endif
