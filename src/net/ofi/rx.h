/* rx: a few large buffers that packets land in one after the other (FI_MULTI_RECV). The provider says
 * when a buffer is used up; it is posted again once its last packet has been taken in. */
#ifndef NET_OFI_RX_H
#define NET_OFI_RX_H

#include "net/ofi/ofi.h"

int rx_open(void);
void rx_close(void);

/* The buffer of this operation is used up and no packet in it is needed any more. */
void rx_renew(struct operation *operation);
/* Posts the buffers that the provider had no room for. */
void rx_post(void);

#endif
