/* direct: single-copy collectives of ranks of one host, straight between their buffers, for large messages.
 *
 * A call takes two operations of the mailboxes (shm_coll.h). In the first, each rank publishes a descriptor
 * of its buffers. Then each rank copies what it wants out of the others' buffers, or combines its piece of
 * their vectors, portion by portion, and stores it where it is wanted. The second operation is a barrier: no
 * rank leaves while its buffers are in use. There are two synchronizations, no messages, no matching, and
 * few wake-ups where ranks outnumber cores.
 *
 * The descriptor says how others access a buffer. Memory of MPI_Alloc_mem is mapped and used in place where
 * mpi_assert_memory_alloc_kinds says that all buffers are such memory. Any other memory is read and written
 * by the transport (transport.h: copy), which needs the system's permission. A buffer that others
 * cannot access (items with gaps, memory of a device, memory that the system protects) goes through a
 * *bounce buffer* in mapped memory. So does a result whose place others still read. Whether mapping or the
 * transport works between all ranks is found out when the mailboxes are made, so all ranks choose alike.
 *
 * Large buffers are gone through forwards and backwards in turn: what one call has left in the cache is
 * where the next one begins.
 */
#ifndef COLL_SHM_DIRECT_H
#define COLL_SHM_DIRECT_H

#include "coll/shm/shm_coll.h"

enum {
    LARGEST_ITEM = 16 * 1024 /* that is combined */
};

/* For engine.c. Writes this rank's descriptor to `line`. */
int direct_expose(struct coll_call *call, void *line);
/* All descriptors are there: copies and combines this rank's part. */
int direct_transfer(struct coll_call *call);
/* The call is over. */
void direct_end(struct coll_call *call);

#endif
