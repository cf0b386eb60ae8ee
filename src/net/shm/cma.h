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

/* Return an MPI error class; after an error an unknown part has been copied. cma_read modifies `to`, which
 * has at most NET_PIECES pieces. */
int cma_read(int32_t pid, struct iovec *to, int pieces, uint64_t address);
int cma_write(int32_t pid, const void *from, uint64_t address, size_t bytes);

#endif
