/* waker: sleeping where messages may come from other hosts.
 *
 * A wait sleeps on a futex, which processes of this host ring (net/shm). The provider offers a descriptor
 * instead, so a thread waits for that and wakes the futex. It is armed only while somebody sleeps, for one
 * event: a process that computes is not disturbed. Without a descriptor waits nap.
 */
#ifndef NET_OFI_WAKER_H
#define NET_OFI_WAKER_H

#include <stdbool.h>

/* The thread also takes the pulse (pulse.h), which is open.
 * fd: the provider's, -1 for none; is_quiet: whether nothing has arrived, asked before each sleep. Call it
 * when the other transports are open. */
int waker_open(int fd, bool (*is_quiet)(void));
void waker_close(void);

#endif
