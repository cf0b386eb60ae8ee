/* file: an open file (MPI-5.0 chapter 14).
 *
 * A file handle is data: a descriptor of this process, a view, two pointers, hints, and a window that the ranks of
 * the handle share. The window (src/win) has the shared pointer; its hidden communicator is also the file's, for
 * collectives of the library. Opening and closing is collective (open.c).
 *
 * How data goes. Every data access, whatever its name, takes the same steps:
 *
 *     what       access_describe (access.h) says how much it is, and of what memory
 *     where      file_place (pointer.c) turns the kind of pointer and the offset into a position in etypes, and
 *                access_begin that into a range of bytes of the view's data
 *     move       independent_move (independent.h) or collective_move (collective_buffering.h) moves the bytes, piece by piece
 *                where the file has another representation than memory (datarep.h)
 *     end        access_end says in the status how much was moved
 *
 * A view (view.h) says where each byte of its data lies in the file; view_next gives the runs of the file one
 * after the other. No other code looks at filetypes.
 *
 * Waiting. The caller moves a blocking access. The caller begins a nonblocking one, a thread of the process (worker.c)
 * moves it, and a thread that polls ends it; the worker touches no other object of MPI than the access. A split
 * collective is moved when it begins where buffering pays (collective_buffering.h), which takes all ranks; elsewhere it is a
 * nonblocking access. The handle keeps its request. Nonblocking collectives may wait for no rank, so each rank moves its
 * own. Collective calls agree on errors only where they open, close, or change the
 * handle; a rank whose data access fails has the error alone.
 *
 * Locks. `lock` guards the individual pointer, the view, `split` and `atomicity` against threads of the process.
 * Byte ranges of the file are locked (range_lock.c) in atomic mode, and where data sieving writes bytes that it has
 * read (independent.h). No lock is held while a callback of the program runs.
 *
 * What is agreed. After the open all ranks have a descriptor or none has; amode, the datarep and the extent of the
 * etype are the same everywhere (MPI_ERR_NOT_SAME). `is_shared_sieve` is the same on all ranks: it says whether
 * any of them may write bytes that it has read.
 */
#ifndef FILE_FILE_H
#define FILE_FILE_H

#include "file/file_report.h"
#include "file/view.h"
#include "object/errhandler.h"
#include "request/request.h"
#include "win/win.h"

#include <sys/types.h>

struct aggregators; /* see aggregators.h */

enum {
    FILE_UNSEEN = -1
};

struct file {
    struct object object;
    struct errhandler *errhandler; /* see errhandler_attach */
    struct win *win;               /* of the shared pointer; owned */
    struct comm *comm;             /* the window's */
    int rank, size;                /* as comm's */
    int amode;
    int fd;           /* owned */
    bool is_stream;   /* it has no offsets; see raw.c */
    bool is_readable; /* the descriptor may be read, whatever amode says: sieved writes need that */
    char *name;       /* as given to MPI_File_open; owned */
    int folder;       /* where rank 0 will delete it, owned; -1: no need */
    unsigned long
        system; /* the kind of the file system, a number of linux/magic.h; 0: not known, or no regular file */
    MPI_Offset block; /* what the file system moves best: st_blksize, the same on all ranks */
    MPI_Offset
        stripe; /* bytes of it on one device, where it was created so; 0: not known; the same on all ranks */
    int striping_error; /* the errno of that, on rank 0; see striping.c */
    mode_t permissions; /* of a file that is created */

    struct lock lock;
    struct view view;    /* changed by set_view */
    MPI_Offset position; /* individual pointer, etypes */
    int shared_word;     /* which word of the window is the shared pointer; see pointer.c */
    _Atomic MPI_Offset
        shared_seen;        /* where this rank last saw it; FILE_UNSEEN: before its last seek. Relaxed */
    _Atomic bool is_atomic; /* relaxed: changed in a collective call */
    bool is_first;          /* see range_lock.c; the same on all ranks, ... */
    bool sees_locks;        /* each rank's locks on the file are seen by the others, ... */
    bool is_shared_sieve;   /* and some rank may sieve writes, so all of them lock what they write */
    struct request *split;  /* of the active split collective; NULL: none */
    int split_pointer;      /* its enum file_pointer, ... */
    bool split_is_write;    /* direction, ... */
    const void *split_buffer;
    struct lock range_mutex; /* beside a lock on a byte range, which does not tell threads apart */
    bool is_advised;         /* the kernel has been advised of an access_style */
    _Atomic int pending;     /* nonblocking accesses in flight; relaxed */
    _Atomic bool is_written; /* since the last sync, by this process; relaxed */

    struct aggregators *aggregators; /* see aggregators.h; NULL: not chosen yet. Owned */

    struct traffic traffic;
    struct hints hints;
};

extern struct pool file_pool;
extern struct file file_null; /* MPI_FILE_NULL's handler; has no handle */

/* The live file of a handle, or NULL. Any value is safe. */
static inline struct file *file_find(MPI_File handle)
{
    return (struct file *)pool_find(&file_pool, object_word(handle));
}

static inline bool file_is_sequential(const struct file *file)
{
    return (file->amode & MPI_MODE_SEQUENTIAL) != 0;
}

/* Refuses calls that a file of MPI_MODE_SEQUENTIAL does not allow. */
int file_check_random(const struct file *file, const char *call);

/* The error class of an errno, with a note: what failed, the file's name, the system's reason. */
int file_system_error(const char *what, const char *name, int reason);
int file_error_class(int reason);

/* Stores what this process has written. */
int file_flush(struct file *file);

/* Bodies; file: NULL for MPI_FILE_NULL. */
int file_set_errhandler(struct file *file, struct errhandler *errhandler);
int file_get_errhandler(struct file *file, struct errhandler **errhandler);

/* Bodies of MPI_File_X. */
int file_get_amode(struct file *file, int *amode);
int file_get_group(struct file *file, struct group **group);
int file_get_info(struct file *file, struct info **info);
int file_get_atomicity(struct file *file, int *flag);
int file_set_atomicity(struct file *file, int flag);
int file_get_size(struct file *file, MPI_Offset *size);
int file_set_size(struct file *file, MPI_Offset size);
int file_preallocate(struct file *file, MPI_Offset size);
int file_sync(struct file *file);

/* Opening, closing and deleting files (MPI-5.0 section 14.2). Opening and closing are collective.
 *
 * Rank 0 opens first, and creates the file if that is asked for, so that MPI_MODE_EXCL is about files that were there
 * before. Then the others open it. If one rank cannot, none has the file, and all return an error. */

/* Bodies of MPI_File_X. A NULL info offers nothing. */
int file_open(struct comm *comm, const char *filename, int amode, struct info *info, struct file **file);
int file_close(struct file *file);
int file_revoke(struct file *file); /* MPIX_File_revoke */
int file_delete(const char *filename, struct info *info);

/* Bodies of MPI_File_set_view, _get_view, _set_info and _get_type_extent (MPI-5.0 sections 14.2.8, 14.3).
 * The two that set are collective. */

int file_set_view(struct file *file, MPI_Offset disp, struct datatype *etype, struct datatype *filetype,
                  const char *datarep, struct info *info);
int file_get_view(struct file *file, MPI_Offset *disp, struct datatype **etype, struct datatype **filetype,
                  char *datarep);
int file_set_info(struct file *file, struct info *info);
int file_get_type_extent(struct file *file, struct datatype *type, MPI_Count *extent);

/* agreement: what collective calls on files agree about: errors, and arguments that must be the same. Each is one
 * collective operation, after which all ranks know that all have come. */

/* Words of the ranks, each of which becomes the largest one. */
int agreement_on_largest(struct comm *comm, int64_t *word, int words);

/* A rank's error as such a word, and back: the rank's own error if it has one, else that of another, which the note
 * names. `name`: of the file. */
int64_t agreement_word(const struct comm *comm, int error);
int agreement_error(const char *call, const char *name, int error, int64_t word);

/* MPI_SUCCESS only if no rank has an error. */
int agreement_on_error(struct comm *comm, const char *call, const char *name, int error);
/* The same, and MPI_ERR_NOT_SAME if the ranks have different values of the argument `what`. */
int agreement_on_value(struct comm *comm, const char *call, const char *name, const char *what, int64_t value,
                       int error);
/* The error of `rank`, which alone can have one: nobody waits but for it. */
int agreement_with(struct comm *comm, int rank, const char *call, const char *name, int error);
/* All get rank 0's errno (0: none) as an error: "what" and the file's name. */
int agreement_with_first(struct file *file, int reason, const char *what);

/* advice: advises the kernel how the file will be accessed (the hint access_style). */

/* Bits of access_style, in the order of its choices. */
enum access_style {
    STYLE_READ_ONCE = 1,
    STYLE_WRITE_ONCE = 2,
    STYLE_READ_MOSTLY = 4,
    STYLE_WRITE_MOSTLY = 8,
    STYLE_SEQUENTIAL = 16,
    STYLE_REVERSE_SEQUENTIAL = 32,
    STYLE_RANDOM = 64
};

void file_advise(struct file *file);

/* pointer: the individual and the shared file pointer (MPI-5.0 sections 14.4.3 and 14.4.4). Both count etypes.
 *
 * The shared pointer is a word of the window at rank 0, to which all ranks add atomically. It belongs to no rank
 * for longer than one addition, so a rank that is killed leaves it as it is. There are two words: a new view begins
 * with the other one, which rank 0 has set to 0 before the ranks meet; no rank has used it since the view before.
 *
 * An access that would end beyond the largest offset does not move it. So a rank that knows the pointer to be far from there
 * adds at once, and another one first reads it, and stores its sum only where the pointer has not moved since.
 */

enum file_pointer {
    FILE_EXPLICIT,   /* the offset of the call */
    FILE_INDIVIDUAL, /* MPI_File_read ... */
    FILE_SHARED,     /* MPI_File_read_shared ... */
    FILE_ORDERED     /* MPI_File_read_ordered ...: collective */
};

/* The position of an access to so many etypes, which all have a place in the file; moves the pointer behind it, and on an
 * error leaves it where it was. For FILE_ORDERED all ranks call it; `error`: of this rank so far, which then takes no part of
 * the file. All ranks have a place there, or those without an error of their own get MPI_ERR_ARG. */
int file_place(struct file *file, enum file_pointer pointer, MPI_Offset offset, MPI_Offset etypes, int error,
               MPI_Offset *position);
/* Takes back a part of what file_place moved the individual pointer; no effect on others. */
void file_place_back(struct file *file, enum file_pointer pointer, MPI_Offset etypes);

int pointer_read_shared(struct file *file, MPI_Offset *position);
/* Sets the word that will be the shared pointer of the next view. Rank 0 calls it before the ranks meet. */
int pointer_prepare_next(struct file *file, MPI_Offset position);
/* Makes that word the shared pointer. All ranks call it after they have met. */
void pointer_take_next(struct file *file);

/* Bodies of MPI_File_X. */
int file_seek(struct file *file, MPI_Offset offset, int whence);
int file_seek_shared(struct file *file, MPI_Offset offset, int whence);
int file_get_position(struct file *file, MPI_Offset *offset);
int file_get_position_shared(struct file *file, MPI_Offset *offset);
int file_get_byte_offset(struct file *file, MPI_Offset offset, MPI_Offset *disp);

/* striping: how a new file is spread over the devices of a Lustre file system, as striping_factor and striping_unit say.
 *
 * Lustre fixes the layout of a file when its first byte is written, or by an ioctl before. So the rank that creates the file opens it
 * without a layout (O_LOV_DELAY_CREATE) and sets it; numbers and struct are those of Lustre's public header for users,
 * which is not always installed. Windows of collective buffering then begin at the ends of stripes
 * (aggregators.h). On other file systems, and of files that are there already, the hints change nothing, and the report says why.
 */

/* Flags of open(2) for the file, of the rank that creates it; 0: nothing is to be set. */
int striping_flags(const struct file *file);
/* Sets the layout of the file, which has just been opened with these flags, and file->stripe. */
void striping_set(struct file *file, int flags);
/* Why the hints have had no effect; NULL: they had one. */
const char *striping_absence(const struct file *file);

/* read_write: bodies of the data access procedures (MPI-5.0 section 14.4). `offset` counts only for FILE_EXPLICIT. */

int file_read(struct file *file, enum file_pointer pointer, MPI_Offset offset, void *buf, MPI_Count count,
              struct datatype *type, struct status *status);
int file_write(struct file *file, enum file_pointer pointer, MPI_Offset offset, const void *buf,
               MPI_Count count, struct datatype *type, struct status *status);
int file_iread(struct file *file, enum file_pointer pointer, MPI_Offset offset, void *buf, MPI_Count count,
               struct datatype *type, struct request **request);
int file_iwrite(struct file *file, enum file_pointer pointer, MPI_Offset offset, const void *buf,
                MPI_Count count, struct datatype *type, struct request **request);

/* Collective. */
int file_read_all(struct file *file, enum file_pointer pointer, MPI_Offset offset, void *buf, MPI_Count count,
                  struct datatype *type, struct status *status);
int file_write_all(struct file *file, enum file_pointer pointer, MPI_Offset offset, const void *buf,
                   MPI_Count count, struct datatype *type, struct status *status);
int file_iread_all(struct file *file, enum file_pointer pointer, MPI_Offset offset, void *buf,
                   MPI_Count count, struct datatype *type, struct request **request);
int file_iwrite_all(struct file *file, enum file_pointer pointer, MPI_Offset offset, const void *buf,
                    MPI_Count count, struct datatype *type, struct request **request);

/* Split collectives. */
int file_read_begin(struct file *file, enum file_pointer pointer, MPI_Offset offset, void *buf,
                    MPI_Count count, struct datatype *type);
int file_read_end(struct file *file, enum file_pointer pointer, void *buf, struct status *status);
int file_write_begin(struct file *file, enum file_pointer pointer, MPI_Offset offset, const void *buf,
                     MPI_Count count, struct datatype *type);
int file_write_end(struct file *file, enum file_pointer pointer, const void *buf, struct status *status);

#endif
