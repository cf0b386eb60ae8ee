/* announce: large receives that tell their sender where to write (mpi_assert_exact_length).
 *
 * A process that asserts exact lengths announces its large receives, which name source and tag, on the board
 * that it shares with the sender (net/board.h). A sender that asserts them too, and finds that its message is
 * the one for an announced receive, writes it straight there and says PUT: the send is over, and neither
 * waits for the other. Who does not assert, or does not look, sends as ever; the receive is withdrawn from
 * the board when it matches an ordinary message.
 *
 * Why the sender can be sure, so that MPI's order holds:
 *   - A receive is announced only if no wildcard receive waits, and each earlier receive with its source and
 *     tag that still waits is announced too. So of those that wait, the earliest on the board is the
 * earliest.
 *   - The sender takes the earliest for its tag or none. It takes it only if all messages with that tag that
 *     it sent in another way had been taken in by the receiver when the receive was posted (`seen`): none of
 *     them is under way, or kept for a later receive, so the message at hand is the next one.
 *   - Later receives, wildcards and probes come after the announced receive; and who cancels must withdraw
 *     from the board first, which fails once the sender has claimed it: then the message has matched.
 * The sender notes for some hash values of (context, tag) how many messages it had sent to the peer by the
 * last one; values that collide, and hints that change meanwhile, only make it send as ever.
 *
 * Each lane has boards and notes of its own: a tag is never sent in two lanes.
 *
 * Lock: all of it belongs to the holder of the lane.
 */
#ifndef P2P_ANNOUNCE_H
#define P2P_ANNOUNCE_H

#include "p2p/transfer.h"

/* Whether this process takes part in it with messages of this kind. */
static inline bool announce_is_on(const struct comm *comm, enum plane plane)
{
    return plane == PLANE_P2P && hint_value(&comm->hints, HINT_EXACT_LENGTH);
}

/* Receiver: tells the sender of a receive that was just posted, if it may and can. */
void announce_receive(struct transfer *t, struct match_space *space);
/* Receiver: the sender will not write any more; false: its message has matched this receive already. */
bool announce_take_back(struct transfer *t);
static inline bool announce_withdraw(struct transfer *t)
{
    return !t->slot || announce_take_back(t);
}
/* Receiver: the message for this request, a handle, is in its buffer. */
void announce_on_put(uint64_t receiver, const struct peer *from);

/* Sender: writes the message into an announced receive if it can. */
int announce_send(const void *buf, size_t bytes, struct peer *peer, int tag, struct comm *comm, bool *done);
/* Sender: a message was sent in another way. */
void announce_note(struct peer *peer, const struct comm *comm, int tag);
/* The hints of comm have changed: what was sent before in this lane was perhaps not noted. */
void announce_forget(const struct comm *comm, struct lane *lane);

#endif
