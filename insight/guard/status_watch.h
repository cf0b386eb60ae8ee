/* status_watch: whether the program has looked who sent what a receive of MPI_ANY_SOURCE took.
 *
 * A program that has the status may name another sender because of it. If it has not loaded MPI_SOURCE, as a hardware watchpoint
 * tells (watchpoint.h), it cannot. One status is watched at a time, the last one, and only the first of a process are.
 */
#ifndef INSIGHT_GUARD_STATUS_WATCH_H
#define INSIGHT_GUARD_STATUS_WATCH_H

#include "insight/call/intercept.h"

/* The program gets this status of the receive with that serial number. False: it is not watched. */
bool status_watch_begin(const MPI_Status *status, uint64_t serial, uint64_t posted);
/* Has it been loaded since? `posted` is the last receive that was posted. */
void status_watch_take_hits(uint64_t posted);
/* The last receive that was posted before the program looked; UINT64_MAX: it has not. */
uint64_t status_watch_told_at(uint64_t serial);

#endif
