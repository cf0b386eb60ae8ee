/* stage: messages of items with gaps, between processes that share memory: the sender packs into memory that
 * both see while the receiver unpacks from it, so both cores work at once and each byte is touched twice.
 *
 * A stage is a block of the sender's heap (memory/heap.h): two counters and a circular buffer. The
 * sender lends it to one message, whose OFFER names it, and begins to fill it without waiting for an answer;
 * the receiver, once matched, empties it. A send is over when the whole message has been packed; the stage is
 * free again when the receiver says that it has all that it wants. There are few stages; a send that finds
 * none is packed as a whole and offered as any other (typed.c).
 *
 * Lock: that of the lane, which has stages of its own; the counters in shared memory have one writer each,
 * and their orders beside them.
 */
#ifndef P2P_STAGE_H
#define P2P_STAGE_H

#include "p2p/transfer.h"

struct stage;

/* Sender: an empty stage for a message of so many bytes to this peer; NULL: none is free. stage_close before
 * any use. */
struct stage *stage_open(const struct peer *peer, size_t bytes);
/* Sender: the claim of the message, which its offer tells. */
void stage_set_claim(struct stage *stage, uint64_t holder);
void stage_close(struct stage *stage);
/* Sender: true: the receiver will not take the message any more, and the stage is free. */
bool stage_withdraw(struct transfer *t);
/* Receiver: the word that is the message's claim (claim.h); NULL if there is no such stage. */
_Atomic uint64_t *stage_claim(struct peer *peer, uint64_t address);
/* Receiver: the stage at this address of the sender's memory; NULL if there is none such. */
struct stage *stage_of(struct peer *peer, uint64_t address);

/* Begins to move t->total bytes through t->stage; finishes the transfer, now or later, with the error in its
 * status. */
void stage_start(struct transfer *t);
/* Goes on with what was begun; returns how many steps it made. */
int stage_poll(struct lane *lane);
/* This peer is lost: what is under way with it ends with this error. */
void stage_lose(const struct peer *peer, int error);

#endif
