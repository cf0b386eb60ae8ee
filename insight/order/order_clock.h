/* order_clock: what happened before what, across ranks: a clock with an entry for each rank (Lamport's relation as vectors).
 *
 * A rank's time passes in intervals. What it does carries the number of its interval. Where it tells others something (it sends,
 * enters a collective, unlocks) it ends the interval and puts its clock on the board; where it learns something (it has received,
 * a collective is over, it has a lock) it takes the others' clocks over. Two accesses are ordered if the later one's rank had
 * learned of the earlier one's interval. Clocks are read as they are now, not as they were when the message was sent, so two
 * accesses may pass for ordered that are not, never the other way. The last collective calls, fences and posts keep the clocks with
 * which they were entered.
 */
#ifndef INSIGHT_ORDER_ORDER_CLOCK_H
#define INSIGHT_ORDER_ORDER_CLOCK_H

#include "insight/call/intercept.h"
#include "insight/objects/comm_record.h"

/* Windows exist: until then there is nothing to order, and clocks stand still. */
void order_start(void);
/* All ranks begin, as they learn of it, since it is on the board before this rank tells them anything. */
void order_start_all(void);
/* Ranks can tell each other something that is not seen, as on communicators with others than those of MPI_COMM_WORLD: from here on
 * all passes for ordered. */
void order_give_up(void);
bool order_is_given_up(void);
uint64_t order_interval(void);
/* Whether this rank knows of the other one's interval. */
bool order_is_known(int rank, uint64_t interval);
/* The last interval of a rank that this one knows of. */
uint64_t order_known(int rank);
void order_tell(void);
/* A receive begins: a synchronous send tells its sender of that. */
void order_tell_receive(void);
void order_learn(int rank);
/* A clock that is kept on the board, ORDER_RANKS entries. */
void order_keep(_Atomic uint64_t *clock);
/* Adds this rank's to one that several keep. The caller has the board's lock. */
void order_add(_Atomic uint64_t *clock);
void order_learn_kept(_Atomic uint64_t *clock);
/* Of all members. */
void order_learn_all(const struct comm_record *comm);
/* A collective call with this number of a communicator is entered, after order_tell. */
void order_enter(uint64_t number, uint64_t turn);
/* It is over: what all members knew when they entered it. */
void order_leave(const struct comm_record *comm, uint64_t number, uint64_t turn);

/* thread_check: calls that the level of threads does not allow (MPI-5.0 section 11.6). */

/* The caller has the lock. */
void thread_check(struct intercept *call);
/* Whether several threads have made calls, so that the order of calls says nothing about that of messages. */
bool thread_check_is_shared(void);
/* A collective begins while another thread is in one of the same communicator (MPI-5.0 section 11.6.2). */
void thread_check_collective(struct intercept *call);

#endif
