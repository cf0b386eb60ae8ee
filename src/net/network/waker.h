/* waker: sleeping where messages may come from other hosts.
 *
 * A wait sleeps on a futex, which processes of this host wake (net/shm). The provider offers a descriptor
 * instead, so a thread waits for it and wakes the futex. The descriptor is armed only while a thread sleeps,
 * for one event, so it does not disturb a process that computes. Without a descriptor waits nap.
 */
#ifndef NET_NETWORK_WAKER_H
#define NET_NETWORK_WAKER_H

#include <stdbool.h>

/* The thread also runs the heartbeat (heartbeat.h), which is open, and looks for crowds (crowd.h). fd: the provider's, -1 for none.
 * is_quiet: whether nothing has arrived, called before each sleep. Call waker_open when the other transports
 * are open. */
int waker_open(int fd, bool (*is_quiet)(void));
void waker_close(void);

#endif
