/* buffer_watch: buffers that MPI writes are not written by the program before the operation is complete.
 *
 * Small ones of one count are summed up at the end of each call and compared when the next begins. Between the two the library
 * below does nothing: MPI makes progress in calls, and other processes write directly only what is large. Where that is not so (a
 * progress thread, another library, a small eager limit) a change counts only if the message has not been sent yet. No buffer is
 * summed up where several threads make calls.
 *
 * The first bytes of few buffers have watchpoints (watchpoint.h): they see stores to what MPI reads, and also loads of what it writes,
 * and where these are.
 */
#ifndef INSIGHT_CHECKS_REQUEST_BUFFER_WATCH_H
#define INSIGHT_CHECKS_REQUEST_BUFFER_WATCH_H

#include "insight/call/intercept.h"
#include "insight/objects/request_record.h"

/* Buffers are being watched: owned by the checks' lock. */
extern bool buffer_watch_is_wanted;

/* An operation begins. */
void buffer_watch_begin(struct request_record *r);
/* ... and ends. */
void buffer_watch_end(struct request_record *r);
/* Where the program has used watched buffers since the last call. */
void buffer_watch_take_hits(void);
/* A call begins. */
void buffer_watch_compare(struct intercept *call);
/* ... and has ended. */
void buffer_watch_sum_up(const struct intercept *call);

#endif
