/* collective: moves the accesses of all ranks of a file together (MPI-5.0 section 14.4.1). */
#ifndef FILE_COLLECTIVE_H
#define FILE_COLLECTIVE_H

#include "file/access.h"

/* Collective. `error`: of this rank so far; then it takes part without data, and access is not looked at. Returns the
 * error of this rank. */
int collective_move(struct file *file, struct file_access *access, int error);

#endif
