/* presence: whether other handles may write to a file; a sieved write would undo what they write into its gaps.
 *
 * Handles that may write announce themselves by locks on bytes that no file has, near the largest offset. Rank 0 takes them
 * for its handle, and they end with its descriptor, however the process ends:
 *
 *     FIRST     held by one handle, the first to come. Only its ranks may sieve.
 *     OTHERS    a byte for each other handle
 *     SIEVING   held, shared, while a window is sieved; a new handle waits here, after it took a byte of OTHERS
 *
 * A rank that sieves takes SIEVING and then looks at OTHERS. Either it sees the new handle and does not sieve, or the new
 * handle waits until it has written. This holds where every process that has the file open sees the locks: on file systems
 * of one host. On others, also if only one rank has the file from such a one, and where the system gives no locks, no handle
 * is first. Writers that are no MPI files are not seen.
 */
#ifndef FILE_PRESENCE_H
#define FILE_PRESENCE_H

#include "file/file.h"

/* Bytes of the file from here on are presence's. */
#define PRESENCE_AT (INT64_MAX - (1 << 16))

/* Whether all processes that have the file open see the locks of this one, by what its file system reports. */
bool presence_is_seen(const struct file *file);
/* Rank 0, when it has opened the file: sets is_first. Returns an errno. */
int presence_announce(struct file *file);

/* The caller has a lock on the range that it sieves. False: there are others, and it must not sieve. After true
 * presence_end_sieve follows. */
bool presence_begin_sieve(const struct file *file);
void presence_end_sieve(const struct file *file);

#endif
