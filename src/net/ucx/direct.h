/* direct: puts and gets of windows (win/win_network.h) by UCX itself, in the target's memory, without the target's program where a
 * device does it.
 *
 * That needs UCX's RMA, which the network asks for only where a device of this host is one that UCX drives, or where
 * inkling_win_rma says so: over tcp UCX emulates it in the target's program, as the window's agent does, and for everybody who
 * can connect (docs/SECURITY.md).
 *
 * UCX's key of a window is asked for at the first access, by a control packet, kept until the owner conceals the memory, and goes to
 * nobody who has not proved to be of the job. A write is complete when a flush of the endpoint that began after it has ended:
 * it is in the target's memory then. One flush serves all writes to a peer that have left before it. A copy that fails
 * makes the peer lost, as a failed packet does.
 */
#ifndef NET_UCX_DIRECT_H
#define NET_UCX_DIRECT_H

#include "net/ucx/ucx_peer.h"

/* Whether UCX has more than tcp here; constant, asked first while the network is opened. */
bool direct_has_device(void);
/* Whether windows are put and got so; constant, asked before UCX is opened. */
bool direct_is_wanted(void);

/* As in network.h. */
struct memory_region *direct_expose(const void *memory, size_t bytes);
/* Before own_memory_free. */
void direct_conceal(struct memory_region *r);
bool direct_begin(const struct network_copy *copy);
bool direct_take(struct message *done, int *process);
/* A KEY_ASKED, KEY_TOLD or KEY_ENDED has come. */
void direct_control(struct ucx_peer *from, const struct message *head, const void *payload);

/* Begins the flushes that writes wait for. Whether none has to begin. */
void direct_post(void);
bool direct_is_quiet(void);

/* A peer is there, of which no key is known. */
void direct_meet(struct ucx_peer *peer);
/* The peer is lost, its endpoint is closed, and operations with it have ended. */
void direct_lose(struct ucx_peer *peer);

/* Before and after ucx_worker is closed. */
void direct_drop_keys(void);
void direct_close(void);

#endif
