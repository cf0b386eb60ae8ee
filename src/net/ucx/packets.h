/* packets: sends packets from slots that all peers share, and receives them into a queue.
 *
 * UCX hands over what has arrived while it makes progress, several packets at a time. They stay in UCX's memory, in the
 * queue, until the network takes them one by one; no progress is made before the queue is empty. */
#ifndef NET_UCX_PACKETS_H
#define NET_UCX_PACKETS_H

#include "net/ucx/ucx_peer.h"

/* With ucx_worker open. */
int packets_open(void);
/* Before and after ucx_worker is closed. */
void packets_drop(void);
void packets_close(void);

/* As in network.h. */
bool packets_send(struct network_peer *to, const struct wire *head, const void *payload);
const void *packets_receive(struct wire *head);
void packets_release(void);
bool packets_have_all_left(void);

/* Whether none has arrived that was not taken yet. */
bool packets_are_none(void);
/* The peer is lost: its packets no longer count as pending. */
void packets_lose(struct ucx_peer *peer);

#endif
