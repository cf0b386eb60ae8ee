/* independent: moves an access without the help of other ranks.
 *
 * Runs of the file are moved in windows. A window is one run, or several runs near each other. One run goes
 * straight from memory to the file. Several are *sieved*: read in one piece, gaps included, and copied from
 * there; or, to write them, read, changed, and written back, under a lock of the range, since others may write the
 * gaps meanwhile. Whether the next run joins a window is a matter of cost: the bytes to copy against one more
 * system call (list access).
 *
 * Sieved writes. A rank that writes into another's gaps without looking at the lock would lose what it writes. So
 * all ranks of the handle lock what they write while some rank may sieve (file->is_shared_sieve). Other handles know
 * nothing of that; therefore writes are sieved only while there are none (presence.h, or MPI_MODE_UNIQUE_OPEN), or if
 * the program says so (romio_ds_write=enable). MPI_MODE_UNIQUE_OPEN is not enough where ranks of several hosts may not see
 * each other's locks, as on a network file system that is mounted without them.
 *
 * In atomic mode the whole access is moved under one lock.
 */
#ifndef FILE_INDEPENDENT_H
#define FILE_INDEPENDENT_H

#include "file/access.h"

/* Moves all of it; access->moved says how much there was. Any thread may call it. */
int independent_move(struct file_access *access);

/* Writes one run; under a lock where others may sieve, unless that is held. */
int independent_write(struct file *file, const void *from, MPI_Offset at, MPI_Offset bytes, bool is_locked);

/* Whether this rank may sieve writes with these hints and this view: see is_shared_sieve. */
bool independent_may_sieve(const struct file *file, const struct hints *hints, const struct view *view);
/* Around the sieving of a range that is locked. False: there are other handles now, so only the runs are written. */
bool independent_begin_sieve(const struct file *file);
void independent_end_sieve(const struct file *file);

#endif
