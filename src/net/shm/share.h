/* share: creates the shared memory of a host where mpiexec has not passed one on.
 *
 * The first local process creates it and passes it to the others over an abstract Unix socket named after the
 * job.
 */
#ifndef NET_SHM_SHARE_H
#define NET_SHM_SHARE_H

#include <stddef.h>

/* The file descriptor, or -1 with a note. room: how many bytes may be used. Blocks until the others have
 * connected (or a minute has passed). */
int share_memory(const char *job, int local_rank, int local_size, size_t room);

#endif
