/* wide: receives that look into all lanes of a spread communicator (lane.h).
 *
 * A wide receive that finds no message is posted in each lane, with an *entry* per lane. The first arrival
 * that it matches claims it, by one atomic exchange: the lanes' holders do not wait for each other. From then
 * on the transfer belongs to that lane. The entries in the other lanes are taken back after the poll, when no
 * lane is held; an arrival that meets such an entry before drops it and looks on.
 *
 * Lock: an entry belongs to the holder of its lane. Who took all lanes of the communicator sees no claim.
 */
#ifndef P2P_WIDE_H
#define P2P_WIDE_H

#include "p2p/transfer.h"

/* The message that a receive or probe of comm would get, in the lanes that the caller holds, and the space
 * that it lies in. *u stays NULL when there is none. */
int wide_look(struct comm *comm, enum plane plane, struct hold held, int source, int tag,
              struct match_space **space, struct unexpected **u);

/* The same for whatever lanes the caller holds. */
static inline int look_in(struct comm *comm, enum plane plane, struct hold held, int source, int tag,
                          struct match_space **space, struct unexpected **u)
{
    if (hold_is_wide(held))
        return wide_look(comm, plane, held, source, tag, space, u);
    return match_look_in(comm, plane, held.first, source, tag, space, u);
}

/* Posts a receive in all lanes of its communicator, which the caller holds. */
int wide_post(struct transfer *t, int source, int tag);
/* The receive of an entry that was just taken out of its space in this lane; NULL: it has been claimed. */
struct transfer *wide_claim(struct lane *lane, struct posted *entry) __attribute__((cold, noinline));
/* Takes back the entries of these wide receives. The caller holds no lane. */
void wide_take_back(struct link *claimed);
/* Takes back those of a receive that is not claimed. The caller holds all lanes of its communicator. */
void wide_withdraw(struct transfer *t);

/* A process has taken mpi_assert_allow_overtaking back: messages keep their order from now on. */
void wide_keep_order(struct comm *comm);

#endif
