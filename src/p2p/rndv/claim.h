/* claim: decides whether the receiver that matches a message after its RTS gets it, or the sender that cancels it: the first.
 *
 * An RTS to a process that shares memory with the sender names a word of the sender's heap. While the RTS
 * stands, the word holds the handle of the send's request, which is never used again. The receiver that wants
 * the message, or the sender that wants it back, exchanges the word for 0, in one atomic operation. The other
 * side finds something else there and lets go: the receiver drops the RTS and goes on with the next message, the
 * sender waits for the receive that is under way. So only the holder of the claim reads the sender's memory, and
 * a cancel waits for nobody. Words are used again, for an RTS with another handle. A message through a pipeline
 * (pack_pipeline.h) has its word there.
 *
 * Only messages that a program can cancel have claims: point-to-point ones; and all where the job survives deaths. Where no memory is shared, a cancelled
 * send goes on from a copy (cancel_transfer.c, detach).
 *
 * Lock: that of the lane, besides the words themselves.
 */
#ifndef P2P_RNDV_CLAIM_H
#define P2P_RNDV_CLAIM_H

#include "p2p/transfer.h"

/* Sender: opens a claim for the RTS of t, and returns the address that the RTS carries. 0: none, since the
 * receiver does not see it, nobody can cancel it, or there is no memory; then the RTS stands for good. */
uint64_t claim_open(struct transfer *t);
/* Sender: the RTS has been answered. */
void claim_close(struct transfer *t);
/* Sender: true: the receiver will not take it any more. */
bool claim_withdraw(struct transfer *t);

/* Receiver: false: the message was withdrawn. What is no RTS, or has no claim, is always there. */
bool claim_take_rts(struct peer *from, const void *rts);
/* Receiver: the message is to be kept, and can be withdrawn again. */
void claim_put_back(struct peer *from, const void *rts);

static inline bool claim_take(const struct unexpected *u)
{
    return u->kind != MESSAGE_RTS || claim_take_rts(u->from, unexpected_payload(u));
}

/* The first kept message that a receive with this source and tag gets; those that their senders have withdrawn are
 * gone. NULL: none. */
struct unexpected *claim_find_unexpected(struct unexpected_store *store, int source, int tag);
/* The message that a receive with this source and tag would get in a lane of comm, NULL if there is none, and
 * the space to look into. */
static inline int claim_look_in(struct comm *comm, enum plane plane, struct lane *lane, int source, int tag,
                                struct match_space **space, struct unexpected **u)
{
    struct match *match = match_of(comm, lane);

    *u = NULL;
    if (!match)
        return fail(MPI_ERR_NO_MEM, "no memory for the matching tables of a communicator");
    *space = &match->space[plane];
    if (!unexpected_is_empty(&(*space)->unexpected))
        *u = claim_find_unexpected(&(*space)->unexpected, source, tag);
    return MPI_SUCCESS;
}

#endif
