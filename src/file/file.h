/* file: an open file (MPI-5.0 chapter 14). Opening one is planned; until then there is MPI_FILE_NULL, which
 * carries the default file error handler: that of new files, and of procedures on files that have no valid
 * one (section 14.7).
 */
#ifndef FILE_FILE_H
#define FILE_FILE_H

#include "object/errhandler.h"

struct file {
    struct object object;
    struct errhandler *errhandler; /* see errhandler_attach */
};

extern struct file file_null; /* has no handle */

/* NULL: no file can be opened yet. */
static inline struct file *file_find(MPI_File handle)
{
    (void)handle;
    return NULL;
}

/* Bodies; file: NULL for MPI_FILE_NULL. */
int file_set_errhandler(struct file *file, struct errhandler *errhandler);
int file_get_errhandler(struct file *file, struct errhandler **errhandler);

#endif
