/* descriptor: reading and writing a range of bytes of a file in whole, however the system cuts it. */
#ifndef FILE_DESCRIPTOR_H
#define FILE_DESCRIPTOR_H

#include "file/file.h"

/* Reads up to the end of the file; *got says how far. */
int descriptor_read(const struct file *file, void *to, MPI_Offset at, MPI_Offset bytes, MPI_Offset *got);
int descriptor_write(struct file *file, const void *from, MPI_Offset at, MPI_Offset bytes);

#endif
