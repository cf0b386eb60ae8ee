/* recv_advert: large receives that show their sender where to write (mpi_assert_exact_length).
 *
 * A process that asserts exact lengths advertises its large receives that name source and tag, in the table that
 * it shares with the sender (net/advert.h). A sender that asserts exact lengths too looks for an advert of its
 * message. It writes the message straight into the advertised buffer and sends PUT: the send is over, and
 * neither side waits. A sender that does not look sends as usual. The receive's advert is withdrawn when an
 * ordinary message matches it.
 *
 * MPI's order holds for these reasons:
 *   - A receive is advertised only if no wildcard receive waits, and all earlier receives with its source and
 *     tag that wait are advertised too. So the earliest advert is that of the earliest receive.
 *   - The sender takes the earliest advert for its tag or none. It must have sent all earlier messages with
 *     that tag so long ago that the receiver had taken them in when it posted the receive (`seen`): none of
 *     them is under way or kept for a later receive.
 *   - Later receives, wildcards and probes come after the advertised receive. A cancel must withdraw the advert
 *     first. That fails once the sender has claimed it: then the message has matched.
 * For 64 hash values of (context, tag) the sender keeps how many messages it had sent to the peer by the last
 * one. Collisions, and hints that change meanwhile, only make it send as usual.
 *
 * Each lane has its own tables and counts: a tag is never sent in two lanes.
 *
 * Lock: all of it belongs to the holder of the lane.
 */
#ifndef P2P_RNDV_RECV_ADVERT_H
#define P2P_RNDV_RECV_ADVERT_H

#include "p2p/transfer.h"

/* Whether this process takes part in it with messages of this kind. */
static inline bool recv_advert_is_on(const struct comm *comm, enum plane plane)
{
    return plane == PLANE_P2P && hint_value(&comm->hints, HINT_EXACT_LENGTH);
}

/* Receiver: advertises a receive that was just posted to its sender, if it may and can. */
void recv_advert_post(struct transfer *t, struct match_space *space);
/* Receiver: the sender will not write any more; false: its message has matched this receive already. */
bool recv_advert_take_back(struct transfer *t);
static inline bool recv_advert_withdraw(struct transfer *t)
{
    return !t->advert || recv_advert_take_back(t);
}
/* Receiver: the message for this request, a handle, is in its buffer. */
void recv_advert_on_put(uint64_t receiver, const struct peer *from);

/* Sender: writes the message into an advertised receive if it can. */
int recv_advert_send(const void *buf, size_t bytes, struct peer *peer, int tag, struct comm *comm,
                     bool *done);
/* Sender: a message was sent in another way. */
void recv_advert_count_sent(struct peer *peer, const struct comm *comm, int tag);
/* The hints of comm have changed: what was sent before in this lane was perhaps not counted. */
void recv_advert_forget(const struct comm *comm, struct lane *lane);

#endif
