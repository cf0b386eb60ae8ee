/* rx: receives packets into a few large buffers, one after the other (FI_MULTI_RECV).
 *
 * The provider reports when a buffer is used up. That should be the last that it does with the buffer. But
 * libfabric 1.17's tcp and net give a packet its place as soon as its first bytes are there, and report a buffer
 * as used up when the packet at its end is complete, although others may not be: those of slow peers, or of
 * strangers, who may stop in the middle. So a buffer is posted again once there is no gap between its packets,
 * and all have been released. Meanwhile others take its place, up to a limit: then packets wait in the network.
 *
 * A packet whose connection is cut in its middle keeps its place. Nothing tells where that is, nor, if it was the last
 * one, that the buffer is used up. So the buffer of such a packet is not counted as posted, and not posted again. */
#ifndef NET_OFI_RX_H
#define NET_OFI_RX_H

#include "net/ofi/ofi.h"

int rx_open(void);
void rx_close(void);

/* The packet of this entry is not needed any more. */
void rx_release(const struct fi_cq_data_entry *entry);
/* The provider puts no more packets into the buffer of this operation. */
void rx_use_up(struct operation *operation);
/* A connection was cut in the middle of a packet, which had a place in the buffer of this operation. */
void rx_cut(struct operation *operation);
/* Posts the buffers that the provider had no room for. */
void rx_post(void);

#endif
