/* rx: receives packets into a few large buffers, one after the other (FI_MULTI_RECV). The provider reports
 * when a buffer is used up; it is posted again once its last packet has been released. */
#ifndef NET_OFI_RX_H
#define NET_OFI_RX_H

#include "net/ofi/ofi.h"

int rx_open(void);
void rx_close(void);

/* The buffer of this operation is used up, and none of its packets is needed any more. */
void rx_renew(struct operation *operation);
/* Posts the buffers that the provider had no room for. */
void rx_post(void);

#endif
