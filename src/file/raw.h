/* raw: reads and writes a range of bytes of a file as a whole, however the system cuts it. In a stream (stream.h) the range is
 * what comes next. */
#ifndef FILE_RAW_H
#define FILE_RAW_H

#include "file/file.h"

/* Reads up to the end of the file; *got says how far. */
int raw_read(const struct file *file, void *to, MPI_Offset at, MPI_Offset bytes, MPI_Offset *got);
int raw_write(struct file *file, const void *from, MPI_Offset at, MPI_Offset bytes);

#endif
