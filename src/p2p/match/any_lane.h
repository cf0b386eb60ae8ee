/* any_lane: receives that look into all lanes of a spread communicator (lane.h).
 *
 * An any-lane receive that finds no message is posted in each lane, as one *entry* per lane. The first arrival
 * that matches an entry claims the receive, by one atomic exchange: the holders of lanes do not wait for each
 * other. From then on the transfer belongs to that lane. The entries in the other lanes are unposted after the
 * poll, when no lane is held. An arrival that meets such an entry earlier drops it and looks on.
 *
 * Lock: an entry belongs to the holder of its lane. A thread that holds all lanes of the communicator sees no
 * claim.
 */
#ifndef P2P_MATCH_ANY_LANE_H
#define P2P_MATCH_ANY_LANE_H

#include "p2p/rndv/claim.h"

/* The message that a receive or probe of comm would get, in the lanes that the caller holds, and the space
 * that it lies in. *u stays NULL when there is none. */
int any_lane_find_each(struct comm *comm, enum plane plane, struct lane_set held, int source, int tag,
                       struct match_space **space, struct unexpected **u);

/* The same for whatever lanes the caller holds. */
static inline int any_lane_find(struct comm *comm, enum plane plane, struct lane_set held, int source,
                                int tag, struct match_space **space, struct unexpected **u)
{
    if (lane_set_is_many(held))
        return any_lane_find_each(comm, plane, held, source, tag, space, u);
    return claim_look_in(comm, plane, held.first, source, tag, space, u);
}

/* Posts a receive in all lanes of its communicator, which the caller holds. */
int any_lane_post(struct transfer *t, int source, int tag);
/* The receive of an entry that was just taken out of its space in this lane; NULL: it has been claimed. */
struct transfer *any_lane_claim(struct lane *lane, struct posted *entry) __attribute__((cold, noinline));
/* Unposts the entries of these receives. The caller holds no lane. */
void any_lane_unpost_claimed(struct link *claimed);
/* Unposts those of a receive that is not claimed. The caller holds all lanes of its communicator. */
void any_lane_withdraw(struct transfer *t);

/* A process has taken mpi_assert_allow_overtaking back: messages keep their order from now on. */
void any_lane_keep_order(struct comm *comm);

#endif
