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
 * nothing of that; therefore writes are sieved only while there are none (range_lock.c, or MPI_MODE_UNIQUE_OPEN), or if
 * the program says so (romio_ds_write=enable). MPI_MODE_UNIQUE_OPEN is not enough where ranks of several hosts may not see
 * each other's locks, as on a network file system that is mounted without them.
 *
 * In atomic mode the whole access is moved under one lock.
 */
#ifndef FILE_INDEPENDENT_H
#define FILE_INDEPENDENT_H

#include "file/access.h"
#include "file/file.h"

/* Moves all of it; access->moved says how much there was. Any thread may call it. */
int independent_move(struct file_access *access);

/* Writes one run; under a lock where others may sieve, unless that is held. */
int independent_write(struct file *file, const void *from, MPI_Offset at, MPI_Offset bytes, bool is_locked);

/* Whether this rank may sieve writes with these hints and this view: see is_shared_sieve. */
bool independent_may_sieve(const struct file *file, const struct hints *hints, const struct view *view);
/* Around the sieving of a range that is locked. False: there are other handles now, so only the runs are written. */
bool independent_begin_sieve(const struct file *file);
void independent_end_sieve(const struct file *file);

/* raw: reads and writes a range of bytes of a file as a whole, however the system cuts it. In a stream the range is what comes next. */

/* Reads up to the end of the file; *got says how far. */
int raw_read(const struct file *file, void *to, MPI_Offset at, MPI_Offset bytes, MPI_Offset *got);
int raw_write(struct file *file, const void *from, MPI_Offset at, MPI_Offset bytes);

/* Streams: files without offsets, such as FIFOs and terminals, for MPI_MODE_SEQUENTIAL (MPI-5.0 section 14.2.1).
 *
 * An access takes what comes next, so views have no gaps. One access has the stream at a time: a lock on the whole
 * file (flock), which ends with the descriptor, keeps ranks apart, and range_mutex threads. Ordered accesses are moved
 * rank by rank (collective_buffering.h). A FIFO whose other end is closed is an error where it is written, and no SIGPIPE.
 */

/* More flags for open(2), on ranks that follow rank 0: they do not wait for the other end of a FIFO, which may have
 * come and gone. */
int raw_stream_open_flags(const struct file *file);
/* The descriptor is open: sets is_stream, and undoes these flags. */
void raw_stream_opened(struct file *file);

/* Waits until no other access has the stream. MPI_ERR_UNSUPPORTED_OPERATION if the view has gaps. */
int raw_stream_take(const struct file_access *access);
void raw_stream_release(struct file *file);

/* Presence: whether other handles may write to a file; a sieved write would undo what they write into its gaps.
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

/* Bytes of the file from here on are presence's. */
#define PRESENCE_AT (INT64_MAX - (1 << 16))

/* Whether all processes that have the file open see the locks of this one, by what its file system reports. */
bool range_presence_is_seen(const struct file *file);
/* Rank 0, when it has opened the file: sets is_first. Returns an errno. */
int range_presence_announce(struct file *file);

/* The caller has a lock on the range that it sieves. False: there are others, and it must not sieve. After true
 * range_presence_end_sieve follows. */
bool range_presence_begin_sieve(const struct file *file);
void range_presence_end_sieve(const struct file *file);

/* range_lock: locks on ranges of bytes of a file, against all other descriptors of it, on this host and, where the
 * file system supports that, on others. They belong to the descriptor (F_OFD_SETLKW) and end with it, also if
 * the process is killed. Threads of one process share the descriptor, so a mutex of the handle keeps them apart. */

/* Waits until the range is free. MPI_ERR_UNSUPPORTED_OPERATION where the file system has no such locks. */
int range_lock_take(struct file *file, MPI_Offset at, MPI_Offset bytes, bool is_shared);
void range_lock_release(struct file *file, MPI_Offset at, MPI_Offset bytes);
/* Makes this host look again at what it has cached of the file, where its file system does that only when it takes a lock: on
 * NFS. Until then a host may see neither the bytes nor the size that another has stored. Elsewhere it costs nothing. */
void range_lock_revalidate(struct file *file);
/* Whether others see what this host writes only when it is flushed. */
bool range_lock_hides_writes(const struct file *file);

#endif
