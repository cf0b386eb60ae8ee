/* heartbeat: whether the processes on other hosts are still there.
 *
 * A network may be cut without a word: what was sent before is in the kernel's hands, and a receive simply
 * waits. So the thread of waker.c asks each connected peer by a datagram (UDP, on the address that
 * libfabric's provider uses) and the peer's thread answers, whatever its program is doing. Who leaves BEATS
 * questions in a row unanswered, inkling_peer_timeout in all, is lost. Providers whose addresses are not
 * those of IP go without.
 *
 * Threads: everything is under one mutex. Bytes from the network are untrusted: what is no answer of a peer
 * that was asked is dropped.
 */
#ifndef NET_OFI_HEARTBEAT_H
#define NET_OFI_HEARTBEAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* address: of this process as libfabric's provider has it. */
int heartbeat_open(const void *address, size_t length);
void heartbeat_close(void);

/* The port to publish, and what to poll for questions and answers; 0 and -1 where there is no pulse. */
int heartbeat_port(void);
int heartbeat_fd(void);

/* A peer with this address and port is asked from now on; job and rank: as its card has them. */
int heartbeat_add(int process, uint64_t job, int rank, const void *address, size_t length, int port);
/* This process could not be reached by other means. */
void heartbeat_lose(int process, const char *why);

/* For the thread: deals with what has arrived; asks when it is time, returns milliseconds until the next
 * time (-1: never) and whether a peer was lost. */
void heartbeat_hear(void);
int heartbeat_send(bool *lost);

/* A process that was lost and not told of yet, and the reason; -1: none. Costs a load when there is none. */
int heartbeat_take_lost(char *why, size_t size);

#endif
