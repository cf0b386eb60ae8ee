/* share: the memory of a host, when no launcher of ours has handed one down.
 *
 * The first local process makes it and gives it to the others over an abstract Unix socket named after the
 * job.
 */
#ifndef NET_SHM_SHARE_H
#define NET_SHM_SHARE_H

#include <stddef.h>

/* The file descriptor, or -1 with a note; room: how many bytes may come to be used. Blocks until the others
 * have come (or a minute has passed). */
int share_memory(const char *job, int local_rank, int local_size, size_t room);

#endif
