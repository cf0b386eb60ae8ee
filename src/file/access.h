/* access: one data access: so many bytes of a view's data, and memory.
 *
 * Bytes are those of the file's representation. Where memory has another one, the access is moved in *pieces*: as many
 * whole items as the buffer of independent accesses holds, at least one. A piece is an access of its own, whose data
 * in memory is that buffer: converted before the move if it is written, after it if it is read. So code that moves a piece, or
 * an access of one representation, need not know representations. It uses access_get and access_put, or
 * `run` where all data is one run of memory.
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
    unsigned char *run;          /* all data in memory; NULL: it has gaps, is a device's, or is converted */
    bool is_converted;           /* memory has another representation */
    void *converted;             /* a piece in the file's, owned; NULL: none yet */
    MPI_Count piece_items;       /* of one piece */
    MPI_Count item_bytes;        /* of one item of the user's type, in the file */
    bool is_moved;               /* all ranks have moved it together (collective_buffering.h), ... */
    bool is_buffered;            /* through the buffers of aggregators */
};

/* Describes an access, and counts the etypes that it will move: MPI_ERR_TYPE if they are no whole number. All that can be
 * wrong with it but its place is told here. */
int access_describe(struct file_access *access, struct file *file, bool is_write,
                    const struct user_buffer *user, MPI_Offset *etypes);
/* Begins it at this position, in etypes, which file_place has checked. access_end must follow. */
void access_begin(struct file_access *access, MPI_Offset position);
/* After the move: `error` is that of the move; status->bytes is what was moved. */
int access_end(struct file_access *access, int error, struct status *status);
/* Its two parts: any thread may call the first; the other drops references. */
int access_finish(struct file_access *access, int error, struct status *status);
void access_release(struct file_access *access);

/* How many pieces an access that is converted has. */
MPI_Count access_pieces(const struct file_access *access);
/* A piece of it, converted if it will be written. On success access_end_piece must follow, after its move. */
int access_begin_piece(struct file_access *access, MPI_Count number, struct file_access *piece);
/* Converts what was read, and counts in the access what was moved. */
int access_end_piece(struct file_access *access, struct file_access *piece, int error);

/* Copies the bytes [at, at + bytes) of the access's data from memory, or to it. */
int access_get(const struct file_access *access, MPI_Offset at, void *to, MPI_Offset bytes);
int access_put(const struct file_access *access, MPI_Offset at, const void *from, MPI_Offset bytes);

/* worker: threads of the process that move nonblocking accesses.
 *
 * A few threads, started when the first access waits for one and ended with the last file. A thread takes a task,
 * moves its access, converts its data (never by callbacks of the program), and puts the task on the list of those
 * that are over. It touches no reference count, and no object of MPI but the file's constant fields. A thread that
 * polls takes tasks off that list and completes their requests; the worker wakes sleeping waiters of its process.
 */

struct task;

/* The memory of a nonblocking access, its request included. What follows cannot fail. */
int worker_prepare(struct file *file, struct task **task);
/* There will be no access. task: may be NULL. */
void worker_drop(struct task *task);
/* Takes over task and access. */
void worker_start(struct task *task, struct file_access *access, struct request **request);
/* The same for an access that was moved already: a complete request. `error`: of the move. */
void worker_done(struct task *task, struct file_access *access, int error, struct request **request);

/* Waits until no access to the file is in flight. */
void worker_drain(struct file *file);
/* Counts open files; the threads end with the last. */
void worker_file_opened(void);
void worker_file_closed(void);

#endif
