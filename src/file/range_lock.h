/* range_lock: locks on ranges of bytes of a file, against all other descriptors of it, on this host and, where the
 * file system supports that, on others. They belong to the descriptor (F_OFD_SETLKW) and end with it, also if
 * the process is killed. Threads of one process share the descriptor, so a mutex of the handle keeps them apart. */
#ifndef FILE_RANGE_LOCK_H
#define FILE_RANGE_LOCK_H

#include "file/file.h"

/* Waits until the range is free. MPI_ERR_UNSUPPORTED_OPERATION where the file system has no such locks. */
int range_lock_take(struct file *file, MPI_Offset at, MPI_Offset bytes, bool is_shared);
void range_lock_release(struct file *file, MPI_Offset at, MPI_Offset bytes);
/* Makes this host look again at what it has cached of the file, where its file system does that only when it takes a lock: on
 * NFS. Until then a host may see neither the bytes nor the size that another has stored. Elsewhere it costs nothing. */
void range_lock_revalidate(struct file *file);
/* Whether others see what this host writes only when it is flushed. */
bool range_lock_hides_writes(const struct file *file);
/* Whether this errno of fcntl means that there are no locks. */
bool range_lock_is_lacking(int reason);

#endif
