/* request_check: the life of requests, and the buffers of operations that are under way (MPI-5.0 section 3.7).
 *
 * A send buffer is summed up when the operation starts and when it completes: nobody may have written to it. Buffers of
 * operations under way do not overlap where one of them is written. The sum is of 32 KiB at most.
 */
#ifndef INSIGHT_CHECKS_REQUEST_REQUEST_CHECK_H
#define INSIGHT_CHECKS_REQUEST_REQUEST_CHECK_H

#include "insight/call/intercept.h"

/* Communicators whose requests are under way; and says if a call uses one. */
extern int request_check_makes;
void request_check_early(struct intercept *call);

void request_check_hold(struct intercept *call, const void *win);
/* Accesses to a target of a window, or with -1 to all, are complete at their origin: their buffers are free. Or a split collective. */
void request_check_release(struct intercept *call, const void *win, int target);
/* A split collective on a file, until request_check_release. */
void request_check_hold_file(struct intercept *call, const void *file);

#endif
