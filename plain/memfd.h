/* memfd: memory that processes share by its descriptor. It has no name in any file system and ends with its
 * last user.
 *
 * It is a memfd where the system has them, else an unlinked file (some containers refuse memfd_create).
 */
#ifndef PLAIN_MEMFD_H
#define PLAIN_MEMFD_H

#include <stddef.h>

/* An empty file, close-on-exec, whose contents may grow to `room` bytes; -1 with a note when there is
 * none. */
int memfd_open(size_t room);
/* From now on nobody can change the file's size, which would kill who uses memory beyond it. An unlinked file
 * stays as it is. */
void memfd_seal(int fd);

#endif
