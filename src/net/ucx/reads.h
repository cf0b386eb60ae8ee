/* reads: copies of memory that a peer has exposed for a message.
 *
 * The reader sends a question: which memory, what part of it, and a number of its own, random. The owner answers by active
 * messages with that number, or by a refusal. Over tcp they are pieces that fit into a receive buffer of UCX, whose rendezvous sends the same
 * two trips later. Where a device moves the data from one buffer to the other, or the user wants several devices for a message
 * (UCX_MAX_EAGER_RAILS), it is one message by that rendezvous. A stranger
 * can neither ask, since questions are packets with a proof, nor answer, since it does not know the number.
 */
#ifndef NET_UCX_READS_H
#define NET_UCX_READS_H

#include "net/ucx/ucx_peer.h"

/* With ucx_worker open. */
int reads_open(void);
/* After ucx_worker is closed. */
void reads_close(void);

/* As in network.h. */
struct memory_region *reads_expose(const void *memory, size_t bytes);
bool reads_drain(struct network_peer *peer, struct memory_region *r, const struct message *done);
bool reads_begin(const struct network_copy *copy);
bool reads_take(struct message *done, int *process);
/* A READ_ASKED or READ_REFUSED has come. */
void reads_control(struct ucx_peer *from, const struct message *head, const void *payload);

/* The peer is lost, and its endpoint closed: no read of its memory is reported any more. */
void reads_lose(const struct ucx_peer *peer);

#endif
