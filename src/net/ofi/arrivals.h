/* arrivals: a few large buffers that packets land in one after the other (FI_MULTI_RECV). The provider says
 * when a buffer is used up; it is posted again once its last packet has been taken in. */
#ifndef NET_OFI_ARRIVALS_H
#define NET_OFI_ARRIVALS_H

#include "net/ofi/ofi.h"

int arrivals_open(void);
void arrivals_close(void);

/* The buffer of this operation is used up and no packet in it is needed any more. */
void arrivals_renew(struct operation *operation);
/* Posts the buffers that the provider had no room for. */
void arrivals_post(void);

#endif
