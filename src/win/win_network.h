/* network: puts and gets that the network carries out in the target's memory (win.h: network).
 *
 * When a window gets agents, each rank exposes its segment to its network where that does more than an agent could: where
 * a device of the network moves the data (net/ofi/rma.h), or inkling_win_rma says so. If all ranks could, they exchange
 * the keys; else no rank uses the path.
 *
 * Only data in a few runs on both sides goes this way. The agent serves data in more runs, memory of a device, and all
 * accumulates: an atomic operation of the network is atomic neither towards the instructions of the target's host nor towards
 * the locks of combiner.h.
 *
 * Completion. An operation is complete at the target when its request is, so a flush waits for the requests as for those
 * of agents (agent.h), and asks the target nothing. There is no order between it and what goes to the agent.
 */
#ifndef WIN_WIN_NETWORK_H
#define WIN_WIN_NETWORK_H

#include "request/request.h"
#include "win/target.h"

/* Exposes this rank's segment. False: it cannot, or the path is off. Not collective. */
bool win_network_offer(struct win *win);
/* Collective; `all`: every rank has offered that. */
int win_network_open(struct win *win, bool all);
void win_network_close(struct win *win);

/* Begins a put or get of `bytes` bytes. *has_begun false: the operation is the agent's. request: NULL: none is
 * wanted. */
int win_network_copy(const struct target *t, const struct user_buffer *origin, size_t bytes, bool is_put,
                     struct request **request, bool *has_begun);

#endif
