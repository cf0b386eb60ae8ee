/* claim: who gets an offered message, the receiver that matches it or the sender that cancels it: the first.
 *
 * An offer to a process that shares memory with the sender names a word of the sender's heap. While the offer
 * stands, the word holds the handle of the send's request, which is never used again. Who wants the message,
 * or wants it back, exchanges the word for 0, in one atomic operation; the other finds something else there
 * and lets go: the receiver drops the offer and goes on with the next message, the sender waits for the
 * receive that is under way. So the sender's memory is read only for who has the claim, and cancelling waits
 * for nobody. Words are used again, for offers with other handles. A message through a stage (stage.h) has
 * its word there.
 *
 * Claims are for what a program can cancel: point-to-point messages. Where no memory is shared, a cancelled
 * send goes on from a copy (send.c, detach).
 *
 * Lock: that of the lane, besides the words themselves.
 */
#ifndef P2P_CLAIM_H
#define P2P_CLAIM_H

#include "p2p/transfer.h"

/* Sender: opens a claim for an offer of t, and gives the address that the offer tells. 0: none, since the
 * receiver does not see it, nobody can cancel it, or there is no memory; then the offer stands for good. */
uint64_t claim_open(struct transfer *t);
/* Sender: the offer has been answered. */
void claim_close(struct transfer *t);
/* Sender: true: the receiver will not take it any more. */
bool claim_withdraw(struct transfer *t);

/* Receiver: false: the message was withdrawn. What is no offer, or has no claim, is always there. */
bool claim_take_offer(struct peer *from, const void *offer);
bool claim_stands(const struct unexpected *u);
/* Receiver: the message is to be kept, and can be withdrawn again. */
void claim_put_back(struct peer *from, const void *offer);

static inline bool claim_take(const struct unexpected *u)
{
    return u->kind != MESSAGE_OFFER || claim_take_offer(u->from, unexpected_payload(u));
}

#endif
