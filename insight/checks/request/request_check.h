/* request_check: the life of requests, and the buffers of operations that are under way (MPI-5.0 section 3.7).
 *
 * A send buffer is summed up when the operation starts and when it completes: nobody may have written to it. Buffers of
 * operations under way do not overlap where one of them is written. The sum is of 32 KiB at most.
 */
#ifndef INSIGHT_CHECKS_REQUEST_REQUEST_CHECK_H
#define INSIGHT_CHECKS_REQUEST_REQUEST_CHECK_H

#include "insight/call/intercept.h"
#include "insight/guard/watchpoint.h"
#include "insight/objects/comm_record.h"
#include "insight/objects/request_record.h"

/* Communicators whose requests are under way; and says if a call uses one. */
extern int request_check_makes;
void request_check_early(struct intercept *call);

void request_check_hold(struct intercept *call, const void *win);
/* Accesses to a target of a window, or with -1 to all, are complete at their origin: their buffers are free. Or a split collective. */
void request_check_release(struct intercept *call, const void *win, int target);
/* A split collective on a file, until request_check_release. */
void request_check_hold_file(struct intercept *call, const void *file);

/* The sum of a buffer that an operation reads. */
uint64_t request_active_sum_of(const struct request_record *r);
/* Says if it has changed since the operation began. */
void request_active_sum_compare(struct intercept *call, const struct request_record *r);

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
void buffer_watch_sum_up(void);

/* partition_check: partitions of a send under way are left alone once they are ready, those of a receive until they have arrived, and
 * both sides have the same types (MPI-5.0 section 4.2).
 *
 * The program's own loads and stores in partitions of a receive are seen at the first bytes of few of them (watchpoint.h). */

/* A request has been made by MPI_Psend_init or MPI_Precv_init. */
void partition_check_describe(struct request_record *r, const struct intercept *call);
/* It starts: no partition is ready, and both sides' types are compared. */
void partition_check_start(struct intercept *call, struct request_record *r, struct comm_record *comm);
/* The program has used a partition that has not arrived, since it was asked last. */
bool partition_check_take_hit(const struct partitions *p, struct watchpoint_hit *hit);
void partition_check_unwatch(struct partitions *p);
/* The request is complete. */
void partition_check_done(struct intercept *call, const struct request_record *r, int error);

/* persistent_check: persistent requests that are waited for and never started (MPI-5.0 section 3.9).
 *
 * To wait for an inactive request is legal: it returns at once. It is a slip if the program does not look at the status, which
 * tells, waits for no other request with the same call, and never starts a request that was made by the same line. All this is known when
 * the request is freed, or at the end.
 */

/* MPI_Wait or MPI_Waitall is about to wait for these. */
void persistent_check_wait(const struct intercept *call, const MPI_Request *request, int64_t count);
/* MPI_Start is about to start it. */
void persistent_check_start(const struct request_record *r);
/* It is freed, or has not been when the program ends. */
void persistent_check_end(const struct request_record *r);

/* request_active: what is looked at while an operation is under way: that its buffer is left alone, that its peers live, and that it is
 * waited for once, by one thread and in one place of an array. */

/* Something has died or was revoked: what has ended uses no memory, though the program has not completed it. */
void request_active_lose(void);
/* A request has ended with this error; or it is still under way. Nobody is to blame where that ends the job. */
bool request_active_is_pending(struct intercept *call, const struct request_record *r, int error);

/* A call that waits for the request in this variable begins. */
void request_active_look_at_wait(struct intercept *call, const struct request_record *r,
                                 const MPI_Request *variable);
/* MPI_Waitall begins, with this request in its array; `list` is the call's own number. */
void request_active_look_at_listed(struct intercept *call, struct request_record *r, uint64_t list);

#endif
