/* access: one data access: so many bytes of a view's data, and memory.
 *
 * Bytes are those of the file's representation. Where memory has another one, `converted` holds them: before the
 * move if they are written, after it if they are read. So who moves an access need not know representations:
 * access_get and access_put are all that it takes, or `run` where all data is one run of memory.
 */
#ifndef FILE_ACCESS_H
#define FILE_ACCESS_H

#include "file/file.h"

struct file_access {
    struct file *file;
    bool is_write;
    MPI_Offset from, bytes; /* of the view's data */
    MPI_Offset moved;       /* how many of them were moved, in their order; 0 at the beginning */

    struct user_buffer user;     /* the program's; its type is referenced */
    const struct device *device; /* the one that must access it; NULL: the host can */
    unsigned char *run;          /* all data in memory; NULL: it has gaps, or is a device's */
    void *converted;             /* owned; NULL: memory has the file's representation */
    MPI_Count item_bytes;        /* of one item of the user's type, in the file */
    bool is_buffered;            /* it was moved through the buffers of aggregators */
};

/* Describes an access from this position, in etypes, on. Converts what will be written. On success access_end
 * must follow. */
int access_begin(struct file_access *access, struct file *file, bool is_write, MPI_Offset position,
                 const struct user_buffer *user);
/* After the move: `error` is that of the move. Converts what was read; status->bytes is what was moved. */
int access_end(struct file_access *access, int error, struct status *status);
/* Its two parts: any thread may convert, if no callback of the program does; the other drops references. */
int access_finish(struct file_access *access, int error, struct status *status);
void access_release(struct file_access *access);
/* How many whole etypes were moved. */
MPI_Offset access_etypes_moved(const struct file_access *access);
/* How many etypes items of this type and number are. MPI_ERR_TYPE if they are no whole number. */
int access_etypes(const struct view *view, const struct user_buffer *user, MPI_Offset *etypes);

/* Copies the bytes [at, at + bytes) of the access's data from memory, or to it. */
int access_get(const struct file_access *access, MPI_Offset at, void *to, MPI_Offset bytes);
int access_put(const struct file_access *access, MPI_Offset at, const void *from, MPI_Offset bytes);

#endif
