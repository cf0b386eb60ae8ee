/* striping: how a new file is spread over the devices of a Lustre file system, as striping_factor and striping_unit say.
 *
 * Lustre fixes the layout of a file when its first byte is written, or by an ioctl before. So the rank that creates the file opens it
 * without a layout (O_LOV_DELAY_CREATE) and sets it; numbers and struct are those of Lustre's public header for users,
 * which is not always installed. Windows of collective buffering then begin at the ends of stripes
 * (aggregators.h). On other file systems, and of files that are there already, the hints change nothing, and the report says why.
 */
#ifndef FILE_STRIPING_H
#define FILE_STRIPING_H

#include "file/file.h"

/* Flags of open(2) for the file, of the rank that creates it; 0: nothing is to be set. */
int striping_flags(const struct file *file);
/* Sets the layout of the file, which has just been opened with these flags, and file->stripe. */
void striping_set(struct file *file, int flags);
/* Why the hints have had no effect; NULL: they had one. */
const char *striping_absence(const struct file *file);

#endif
