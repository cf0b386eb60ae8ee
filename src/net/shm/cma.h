/* cma: copying straight between two processes' memory (process_vm_readv, process_vm_writev).
 *
 * Containers and ptrace settings may forbid it, and a wrong process may answer to a pid of another pid
 * namespace, so the first use with a peer reads a random number whose place the peer's arena names.
 */
#ifndef NET_SHM_CMA_H
#define NET_SHM_CMA_H

#include "net/shm/arena.h"
#include "net/transport.h"

/* Publishes pid and probe in the own arena. */
void cma_open(struct arena_head *head);

/* Whether the owner of this arena lets us read its memory. */
bool cma_works(struct arena_head *head);

/* An MPI error class; on error an unknown part may have been copied. cma_read uses `to` up, whose pieces are
 * at most NET_PIECES. */
int cma_read(int32_t pid, struct iovec *to, int pieces, uint64_t address);
int cma_write(int32_t pid, const void *from, uint64_t address, size_t bytes);

#endif
