/* stream: files without offsets, such as FIFOs and terminals, for MPI_MODE_SEQUENTIAL (MPI-5.0 section 14.2.1).
 *
 * An access takes what comes next, so views have no gaps. One access has the stream at a time: a lock on the whole
 * file (flock), which ends with the descriptor, keeps ranks apart, and range_mutex threads. Ordered accesses are moved
 * rank by rank (collective.h). A FIFO whose other end is closed is an error where it is written, and no SIGPIPE.
 */
#ifndef FILE_STREAM_H
#define FILE_STREAM_H

#include "file/access.h"

/* More flags for open(2), on ranks that follow rank 0: they do not wait for the other end of a FIFO, which may have
 * come and gone. */
int stream_open_flags(const struct file *file);
/* The descriptor is open: sets is_stream, and undoes these flags. */
void stream_opened(struct file *file);

/* Waits until no other access has the stream. MPI_ERR_UNSUPPORTED_OPERATION if the view has gaps. */
int stream_take(const struct file_access *access);
void stream_release(struct file *file);
/* As write(2). */
ssize_t stream_write(const struct file *file, const void *from, size_t bytes);

#endif
