/* MPI_File_open, MPI_File_close and MPI_File_delete. */
#include "file/file.h"

#include "boot/host.h"
#include "file/access.h"
#include "file/aggregators.h"
#include "file/datarep.h"
#include "file/independent.h"
#include "making/make.h"
#include "p2p/lost.h"
#include "p2p/mitigate.h"
#include "plain/fail.h"
#include "win/passive.h"
#include "win/win_make.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

/* Keeps SIGXFSZ from ending the process while it has files open.
 *
 * A write beyond RLIMIT_FSIZE fails with EFBIG, and also raises this signal, whose default is the end. The limit can be
 * lowered at any time, even by another process, so looking at it before a write is not enough; and blocking the
 * signal around each write takes as long as a small write. So, from the first open file to the last, the default is
 * replaced by a handler that does nothing. A program's own handler, or its SIG_IGN, stays. Programs that the
 * process executes meanwhile have the default, as exec gives it to them.
 *
 * Threads: any may open and close files.
 */

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* guards the count, and changes with it */
static int open_files;

static void do_nothing(int number)
{
    (void)number;
}

/* Replaces one handler by another, where it is in force. */
static void change_disposition(void (*from)(int), void (*to)(int))
{
    struct sigaction found, wanted = {.sa_handler = to, .sa_flags = SA_RESTART};

    if (sigaction(SIGXFSZ, NULL, &found) == 0 && !(found.sa_flags & SA_SIGINFO) && found.sa_handler == from)
        sigaction(SIGXFSZ, &wanted, NULL);
}

static void size_signal_file_opened(void)
{
    pthread_mutex_lock(&mutex);
    if (open_files++ == 0)
        change_disposition(SIG_DFL, do_nothing);
    pthread_mutex_unlock(&mutex);
}

static void size_signal_file_closed(void)
{
    pthread_mutex_lock(&mutex);
    if (--open_files == 0)
        change_disposition(do_nothing, SIG_DFL);
    pthread_mutex_unlock(&mutex);
}

enum {
    MODES = MPI_MODE_RDONLY | MPI_MODE_RDWR | MPI_MODE_WRONLY | MPI_MODE_CREATE | MPI_MODE_EXCL |
            MPI_MODE_DELETE_ON_CLOSE | MPI_MODE_UNIQUE_OPEN | MPI_MODE_SEQUENTIAL | MPI_MODE_APPEND,
    PERMISSIONS = 0666
};

static int check_amode(int amode)
{
    int access = amode & (MPI_MODE_RDONLY | MPI_MODE_RDWR | MPI_MODE_WRONLY);

    if (amode & ~MODES)
        return fail(MPI_ERR_AMODE, "amode %#x has bits that are no MPI_MODE_ constant", (unsigned)amode);
    if (access != MPI_MODE_RDONLY && access != MPI_MODE_RDWR && access != MPI_MODE_WRONLY)
        return fail(MPI_ERR_AMODE, "amode %#x must have exactly one of MPI_MODE_RDONLY, _RDWR and _WRONLY",
                    (unsigned)amode);
    if (amode & MPI_MODE_RDONLY && amode & (MPI_MODE_CREATE | MPI_MODE_EXCL))
        return fail(MPI_ERR_AMODE, "MPI_MODE_CREATE and MPI_MODE_EXCL do not go with MPI_MODE_RDONLY");
    if (amode & MPI_MODE_RDWR && amode & MPI_MODE_SEQUENTIAL)
        return fail(MPI_ERR_AMODE, "MPI_MODE_SEQUENTIAL does not go with MPI_MODE_RDWR");
    return MPI_SUCCESS;
}

static void file_discard(struct file *file)
{
    if (file->fd >= 0)
        close(file->fd);
    if (file->folder >= 0)
        close(file->folder);
    aggregators_free(file);
    if (file->win) {
        win_unlock_all(file->win);
        win_free(file->win);
    }
    view_release(&file->view);
    hints_fini(&file->hints);
    errhandler_unref(file->errhandler);
    free(file->name);
    pool_free(&file_pool, file);
}

/* The permissions of a new file, as the hints say. */
static mode_t read_permissions(struct hints *hints)
{
    const char *text = hint_text(hints, HINT_FILE_PERM);
    char *end;
    unsigned long mode;

    if (!text)
        return PERMISSIONS;
    mode = strtoul(text, &end, 8);
    if (*end == '\0' && mode <= 07777)
        return (mode_t)mode;
    hint_refuse(hints, HINT_FILE_PERM, "an octal number up to 7777");
    return PERMISSIONS;
}

/* This rank's part, whatever the others do. */
static int prepare_file(struct comm *comm, const char *filename, int amode, struct info *info,
                        struct file **made)
{
    struct file *file = pool_new(&file_pool);
    struct datatype *byte = datatype_predefined(MPI_BYTE);
    int error;

    if (!file)
        return fail(MPI_ERR_NO_MEM, "no memory for a file");
    file->fd = file->folder = -1;
    file->amode = amode;
    file->rank = comm->rank;
    file->size = comm->size;
    file->lock = file->range_mutex = (struct lock)LOCK_INIT;
    file->errhandler = errhandler_of(&file_null.errhandler);
    file->name = strdup(filename);
    hints_init(&file->hints, ON_FILE);
    hints_set_model(&file->hints, comm->session ? session_kinds(comm->session) : NULL);
    file->hints.name = file->name;
    info_offer(info, &file->hints, AT_CREATE, "MPI_File_open");
    hint_set_text(&file->hints, HINT_FILENAME, filename);
    file->permissions = read_permissions(&file->hints);
    error = file->name ? check_amode(amode) : fail(MPI_ERR_NO_MEM, "no memory for the name of a file");
    if (!error)
        error = view_make(0, byte, byte, datarep_native(), false, &file->view);
    if (error)
        file_discard(file);
    else
        *made = file;
    return error;
}

/* The window of the shared pointer, and with it the communicator. All ranks take part. */
static int make_pointer_window(struct comm *comm, struct win **win)
{
    int64_t *words;
    int error = win_allocate_own(2 * sizeof *words, sizeof *words, comm, &words, win);

    if (error)
        return error;
    if (comm->rank == 0)
        words[0] = words[1] = 0;
    return win_lock_all(MPI_MODE_NOCHECK, *win);
}

/* Opens with these flags besides. A file for writing is opened for reading as well if that is allowed, since sieved
 * writes read. Returns an errno. */
static int open_descriptor(struct file *file, int flags)
{
    bool is_written = !(file->amode & MPI_MODE_RDONLY);
    struct stat status;
    struct statfs system;

    flags |= O_CLOEXEC;
    file->is_readable = !(file->amode & MPI_MODE_WRONLY) || !file_is_sequential(file);
    if (file->is_readable)
        file->fd = open(file->name, flags | (is_written ? O_RDWR : O_RDONLY), file->permissions);
    if (file->fd < 0 && file->amode & MPI_MODE_WRONLY && (!file->is_readable || errno == EACCES)) {
        file->is_readable = false;
        file->fd = open(file->name, flags | O_WRONLY, file->permissions);
    }
    if (file->fd < 0 || fstat(file->fd, &status))
        return errno;
    raw_stream_opened(file);
    file->system = S_ISREG(status.st_mode) && !fstatfs(file->fd, &system) ? (unsigned long)system.f_type : 0;
    file->block = status.st_blksize > 0 ? status.st_blksize : 1;
    return S_ISDIR(status.st_mode) ? EISDIR : 0;
}

/* The name without the folder. */
static const char *last_part(const char *name)
{
    const char *slash = strrchr(name, '/');

    return slash ? slash + 1 : name;
}

/* The process may be in another folder when it deletes the file. Returns an errno. */
static int keep_folder(struct file *file)
{
    size_t length = (size_t)(last_part(file->name) - file->name);
    char *folder = length ? strndup(file->name, length) : strdup(".");

    if (!folder)
        return ENOMEM;
    file->folder = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
    free(folder);
    return file->folder < 0 ? errno : 0;
}

/* Where the pointers begin. */
static int set_pointers(struct file *file)
{
    MPI_Offset size = 0;
    int error = file->amode & MPI_MODE_APPEND ? file_get_size(file, &size) : MPI_SUCCESS;

    file->position = size;
    if (!error && file->rank == 0 && size)
        error = pointer_prepare_next(file, size);
    if (size)
        pointer_take_next(file);
    return error;
}

/* What a rank has found, also of the layout, and whether it is on the others' host. Of each word the largest counts. */
struct open_words {
    int64_t error, is_first, is_unseen, host, no_host, block, stripe, striping_error;
};

/* All ranks have it, or none; and all know what each has found. */
static int agree_on_open(struct file *file, int error)
{
    bool is_unseen = file->fd >= 0 && !(file->amode & MPI_MODE_RDONLY) && !range_presence_is_seen(file);
    int64_t host = (int64_t)host_mine();
    struct open_words w = {agreement_word(file->comm, error),
                           file->is_first,
                           is_unseen,
                           host,
                           ~host,
                           file->block,
                           file->stripe,
                           file->striping_error};
    int failed = agreement_on_largest(file->comm, (int64_t *)&w, sizeof w / sizeof(int64_t));

    if (failed)
        return error ? error : failed;
    file->is_first = w.is_first && !w.is_unseen;
    file->block = w.block;
    file->stripe = w.stripe;
    file->striping_error = (int)w.striping_error;
    file->sees_locks = !w.is_unseen || w.host == ~w.no_host;
    return agreement_error("MPI_File_open", file->name, error, w.error);
}

/* A rank's open, and what all ranks have come to. */
static int open_everywhere(struct file *file)
{
    int creating = (file->amode & MPI_MODE_CREATE ? O_CREAT : 0) | (file->amode & MPI_MODE_EXCL ? O_EXCL : 0);
    int layout = file->rank == 0 ? striping_flags(file) : 0;
    int reason = file->rank == 0 ? open_descriptor(file, creating | layout) : 0, error;

    if (!reason)
        striping_set(file, layout);
    if (file->rank == 0 && !reason && file->amode & MPI_MODE_DELETE_ON_CLOSE)
        reason = keep_folder(file);
    if (file->rank == 0 && !reason)
        reason = range_presence_announce(file);
    error = agreement_with_first(file, reason, "MPI_File_open: cannot open");
    if (error)
        return error;
    if (file->rank)
        reason = open_descriptor(file, raw_stream_open_flags(file));
    error = reason ? file_system_error("MPI_File_open: cannot open", file->name, reason) : set_pointers(file);
    error = agree_on_open(file, error);
    if (error && file->rank == 0 && creating & O_EXCL)
        unlink(file->name); /* it was not there before */
    return error;
}

int file_open(struct comm *comm, const char *filename, int amode, struct info *info, struct file **made)
{
    struct file *file = NULL;
    struct win *win;
    int error, own;

    if (comm_is_inter(comm))
        return fail(MPI_ERR_COMM, "comm is an intercommunicator; a file needs an intracommunicator");
    own = prepare_file(comm, filename, amode, info, &file);
    error = agreement_on_value(comm, "MPI_File_open", filename, "amode", amode, own);
    if (!error)
        error = make_pointer_window(comm, &win);
    if (error) {
        if (!own)
            file_discard(file);
        return error;
    }
    file->win = win;
    file->comm = comm; /* its collectives have been used before, and cost less */
    error = agree_hints(file->comm, &file->hints, NULL);
    if (!error)
        error = open_everywhere(file);
    if (error) {
        file_discard(file);
        return error;
    }
    file->comm = win->comm;
    file_advise(file);
    worker_file_opened();
    size_signal_file_opened();
    file_report(file, false);
    *made = file;
    return MPI_SUCCESS;
}

static int check_closable(struct file *file)
{
    if (file->split)
        return fail(MPI_ERR_OTHER, "MPI_File_close: a split collective is active on \"%s\"; end it before",
                    file->name);
    worker_drain(file);
    return file->amode & MPI_MODE_DELETE_ON_CLOSE ? MPI_SUCCESS : file_flush(file);
}

/* If a rank cannot store what it wrote, the file stays open on all. If one has died, each closes it alone. */
int file_close(struct file *file)
{
    int error = agreement_on_error(file->comm, "MPI_File_close", file->name, check_closable(file));

    if (error && !lost_is_cause(error))
        return error;
    error = MPI_SUCCESS;
    if (file->folder >= 0 && unlinkat(file->folder, last_part(file->name), 0))
        error = file_system_error("MPI_File_close: cannot delete", file->name, errno);
    file_report(file, true);
    object_retire(&file_pool, &file->object);
    file_discard(file);
    worker_file_closed();
    size_signal_file_closed();
    return error;
}

int file_revoke(struct file *file)
{
    return mitigate_revoke(file->comm);
}

int file_delete(const char *filename, struct info *info)
{
    struct stat status;

    (void)info; /* no hint concerns it */
    if (stat(filename, &status) == 0 && S_ISDIR(status.st_mode))
        return file_system_error("MPI_File_delete: cannot delete", filename, EISDIR);
    if (unlink(filename))
        return file_system_error("MPI_File_delete: cannot delete", filename, errno);
    return MPI_SUCCESS;
}
