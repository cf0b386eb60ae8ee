/* open: opening, closing and deleting files (MPI-5.0 section 14.2). Opening and closing are collective.
 *
 * Rank 0 opens first, and creates the file if that is asked for, so that MPI_MODE_EXCL is about files that were there
 * before. Then the others open it. If one rank cannot, none has the file, and all return an error. */
#ifndef FILE_OPEN_H
#define FILE_OPEN_H

#include "file/file.h"

/* Bodies of MPI_File_X. A NULL info offers nothing. */
int file_open(struct comm *comm, const char *filename, int amode, struct info *info, struct file **file);
int file_close(struct file *file);
int file_delete(const char *filename, struct info *info);

#endif
