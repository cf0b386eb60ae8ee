/* cma: copies directly between the memories of two processes (process_vm_readv, process_vm_writev).
 *
 * Containers and ptrace settings may forbid it. In another pid namespace the pid may belong to another
 * process. So the first use with a peer reads a random number from an address that the peer's arena gives,
 * and compares it.
 */
#ifndef NET_SHM_CMA_H
#define NET_SHM_CMA_H

#include "net/shm/arena.h"
#include "net/transport.h"

/* Publishes pid and probe in this process's arena. */
void cma_open(struct arena_head *head);

/* Whether this process may read the memory of the arena's owner. */
bool cma_works(struct arena_head *head);

/* As get and put of a transport. After an error an unknown part has been copied. */
int cma_copy(int32_t pid, bool is_put, struct iovec *here, int pieces, struct iovec *there, int pieces_there);

#endif
