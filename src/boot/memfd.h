/* memfd: memory that processes share by its descriptor; no name in any file system, gone with its last
 * user.
 *
 * A memfd where the system gives one, else an unlinked file (some containers refuse memfd_create).
 */
#ifndef BOOT_MEMFD_H
#define BOOT_MEMFD_H

#include <stddef.h>

/* An empty file, close-on-exec, that may grow to `room` bytes of content; -1 with a note when there is none.
 */
int memfd_open(size_t room);

#endif
