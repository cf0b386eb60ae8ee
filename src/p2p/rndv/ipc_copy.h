/* ipc_copy: large messages out of a device's memory, between processes of one host that both reach the device.
 *
 * An export of the memory follows the sender's RTS (memory/kind.h). A receiver whose driver imports it lets the
 * device copy from there to its own buffer. It sends FIN as after any single copy: the bytes never come to the
 * host. A receiver that cannot import sends CTS. Only then does the sender copy the message to the host; it goes
 * on as with any other. If its device fails at that copy, it sends PUT with has_failed.
 *
 * Lock: that of the lane. The device copies while it is held, as the host does elsewhere.
 */
#ifndef P2P_RNDV_IPC_COPY_H
#define P2P_RNDV_IPC_COPY_H

#include "memory/kind.h"
#include "p2p/rndv/rndv.h"

/* Sender: sends `bytes` of the device's memory in one run. *request stays NULL where that does not pay or
 * cannot be. */
int ipc_copy_isend(const void *run, size_t bytes, const struct device *device, const struct envelope *e,
                   struct request **request);
/* Sender: the receiver has asked for the message: copies it to the host. An error is reported on both sides, and
 * ends the send. */
int ipc_copy_to_host(struct transfer *t);

#endif
