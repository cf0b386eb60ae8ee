/* race_check: receives of MPI_ANY_SOURCE that could have taken another message, where that matters (MPI-5.0 section 3.5).
 *
 * Each rank keeps the last receives of MPI_ANY_SOURCE that have completed. A message of another sender that is received later,
 * fits such a wildcard, and was sent by a rank that could not have learned of its completion (order_clock.h) might have been taken
 * by it. That is a race if the message has another type than the wildcard's receive asks for. It is one, too, if a receive posted
 * later names the message's sender and waits for it, and nothing that this sender sends is received by a wildcard afterwards: then that receive
 * would wait for ever. This is known when all ranks have called MPI_Finalize.
 *
 * A right program may name a sender because of who came first ("the other one"). So receives count only if the program did not
 * have the wildcard's status before it posted them, and senders that a wildcard or a probe has found are not looked at. Nor are
 * receives that only MPI_Test, MPI_Waitany, or MPI_Waitsome has completed: the program may do without. No race is found where
 * several threads make calls, or in jobs of more than ORDER_RANKS ranks.
 */
#ifndef INSIGHT_CHECKS_MESSAGE_RACE_CHECK_H
#define INSIGHT_CHECKS_MESSAGE_RACE_CHECK_H

#include "insight/board/finding_list.h"
#include "insight/call/intercept.h"
#include "insight/objects/posted_receive.h"

/* What is known of a message when its receive is looked at. */
struct race_message {
    int from; /* rank in MPI_COMM_WORLD */
    int tag;
    uint32_t known;      /* the receiver's interval that its sender knew of */
    bool is_synchronous; /* its sender knows that it was received */
    bool is_behind;      /* an earlier message of its sender, on its communicator, is not received yet */
    struct call_place place;
    const struct type_signature *signature;
};

/* A receive of MPI_ANY_SOURCE or a probe is about to wait: from here on ranks keep clocks. */
void race_check_begin(int source);
/* Whether this receive is a wildcard, or there was one before. */
bool race_check_is_wanted(const struct posted_receive *posted);
/* A receive has got this message. */
void race_check_received(struct intercept *call, const struct posted_receive *posted,
                         const struct race_message *message);
/* A wildcard has found a message of this rank of MPI_COMM_WORLD. */
void race_check_found(int world);
/* All messages have been received. */
void race_check_end(void);

#endif
