#include "api/raise.h"

#include "api/handle.h"
#include "boot/boot.h"
#include "file/file.h"
#include "object/error.h"
#include "plain/privilege.h"
#include "plain/source_place.h"
#include "runtime/runtime.h"
#include "win/win.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    BLOCK_SIZE = 3072 /* the most that a launcher takes, see boot_abort */
};

static void raise_add_line(char *block, const char *format, const char *text)
{
    size_t used = strlen(block);

    snprintf(block + used, BLOCK_SIZE - used, format, text);
}

static void add_place(char *block, const struct comm *comm)
{
    size_t used = strlen(block);
    char host[256] = "an unnamed host";

    gethostname(host, sizeof host - 1);
    snprintf(block + used, BLOCK_SIZE - used, "  rank %d of %d on %s, process %d%s%s\n", boot.rank,
             boot.size ? boot.size : 1, host, (int)getpid(), comm && comm->name[0] ? ", communicator " : "",
             comm ? comm->name : "");
}

/* Writes one block, which the launcher shows once for all ranks. The program's own output is flushed first. */
static const char *raise_describe(const struct comm *comm, int error, const char *call)
{
    static char block[BLOCK_SIZE];
    char text[MPI_MAX_ERROR_STRING];
    int length;

    if (error_get_string(error, text, &length))
        snprintf(text, sizeof text, "error %d", error);
    fflush(stdout);
    raise_add_line(block, "inkling: fatal error in %s\n", call);
    raise_add_line(block, "  %s\n", text);
    add_place(block, comm);
    raise_backtrace(block + strlen(block), BLOCK_SIZE - strlen(block));
    return block;
}

/* Ends the job; alone: only this process (MPI_ERRORS_ABORT on a session). */
static _Noreturn void raise_die(const struct comm *comm, int error, const char *call, bool alone)
{
    static atomic_flag is_dying = ATOMIC_FLAG_INIT;
    int code = error > 0 && error < 256 ? error : 1;
    const char *why;

    /* relaxed: who comes second only waits for the end */
    if (atomic_flag_test_and_set_explicit(&is_dying, memory_order_relaxed)) {
        while (true)
            pause();
    }
    why = raise_describe(comm, error, call);
    runtime_report();
    if (!alone)
        boot_abort(code, why);
    fputs(why, stderr);
    _exit(code);
}

/* The object whose handler is called; at most one is set. If none is, the initial handler is meant. */
struct concerned {
    struct comm *comm;
    struct session *session;
    struct win *win;
    struct file *file;
    struct errhandler *handler; /* a new reference */
};

static bool has_own_handler(const struct comm *comm)
{
    return atomic_load_explicit(&comm->has_own_errhandler, memory_order_relaxed);
}

/* MPI_COMM_SELF, as the standard says. Programs from before MPI-4 set a handler on MPI_COMM_WORLD alone. */
static struct comm *raise_without_object(void)
{
    return has_own_handler(&comm_world) && !has_own_handler(&comm_self) ? &comm_world : &comm_self;
}

static struct concerned find_concerned(struct object *owner)
{
    struct concerned c = {0};

    if (owner && owner->kind == OBJECT_COMM)
        c.comm = (struct comm *)owner;
    else if (owner && owner->kind == OBJECT_SESSION)
        c.session = (struct session *)owner;
    else if (owner && owner->kind == OBJECT_WIN)
        c.win = (struct win *)owner;
    else if (owner && owner->kind == OBJECT_FILE)
        c.file = (struct file *)owner;
    else if (owner && owner->kind == OBJECT_ERRHANDLER)
        c.handler = (struct errhandler *)owner;
    else if (world_state() == WORLD_OPEN)
        c.comm = raise_without_object();
    if (c.comm)
        c.handler = errhandler_of(&c.comm->errhandler);
    else if (c.session)
        c.handler = errhandler_of(&c.session->errhandler);
    else if (c.win)
        c.handler = errhandler_of(&c.win->errhandler);
    else if (c.file)
        c.handler = errhandler_of(&c.file->errhandler);
    else if (c.handler)
        errhandler_ref(c.handler);
    return c;
}

static void call_comm_handler(MPI_Comm_errhandler_function *function, struct comm *comm, int code)
{
    MPI_Comm handle = MPI_COMM_NULL;

    if (comm)
        handle = (MPI_Comm)(uintptr_t)object_show(&comm_pool, &comm->object);
    function(&handle, &code);
    if (comm)
        object_hide(&comm_pool, &comm->object);
}

static void call_session_handler(MPI_Session_errhandler_function *function, struct session *session, int code)
{
    MPI_Session handle = MPI_SESSION_NULL;

    if (session)
        handle = (MPI_Session)(uintptr_t)object_show(&session_pool, &session->object);
    function(&handle, &code);
    if (session)
        object_hide(&session_pool, &session->object);
}

static void call_win_handler(MPI_Win_errhandler_function *function, struct win *win, int code)
{
    MPI_Win handle = MPI_WIN_NULL;

    if (win)
        handle = (MPI_Win)(uintptr_t)object_show(&win_pool, &win->object);
    function(&handle, &code);
    if (win)
        object_hide(&win_pool, &win->object);
}

static void call_file_handler(MPI_File_errhandler_function *function, struct file *file, int code)
{
    MPI_File handle = MPI_FILE_NULL;

    if (file != &file_null)
        handle = (MPI_File)(uintptr_t)object_show(&file_pool, &file->object);
    function(&handle, &code);
    if (file != &file_null)
        object_hide(&file_pool, &file->object);
}

/* The object may have been freed while the operation was pending. */
static void call_handler(const struct concerned *c, int code)
{
    if (c->handler->on == OBJECT_COMM)
        call_comm_handler(c->handler->call.comm, c->comm, code);
    else if (c->handler->on == OBJECT_SESSION)
        call_session_handler(c->handler->call.session, c->session, code);
    else if (c->handler->on == OBJECT_WIN)
        call_win_handler(c->handler->call.win, c->win, code);
    else if (c->handler->on == OBJECT_FILE)
        call_file_handler(c->handler->call.file, c->file, code);
}

int raise_error(struct object *owner, int error, const char *call)
{
    struct concerned c = find_concerned(owner);

    if (!c.handler) {
        errhandler_init();
        c.handler = errhandler_initial();
    }
    if (c.handler == &errhandler_fatal || c.handler == &errhandler_abort)
        raise_die(c.comm, error, call, c.session && c.handler == &errhandler_abort);
    call_handler(&c, error);
    errhandler_unref(c.handler);
    return error;
}

enum {
    FRAME_LIMIT = 24,
    LINE_SIZE = 768
};

/* False: nobody says in time which lines these are. */
static bool describe_frame(void *address, const Dl_info *where, bool has_lines, char *line)
{
    struct source_place found = {.number = 0}, *place = &found;
    char module[PATH_MAX];
    uint64_t offset = (uint64_t)((uintptr_t)address - 1 - (uintptr_t)where->dli_fbase);

    if (source_place_module(address, module, &offset) && has_lines)
        has_lines = source_place_find(module, &offset, &place, 1, SOURCE_PLACE_RANK_MS);
    if (found.number)
        snprintf(line, LINE_SIZE, "%s at %s:%d", found.function, found.file, found.number);
    else if (where->dli_sname)
        snprintf(line, LINE_SIZE, "%s in %s", where->dli_sname, where->dli_fname);
    else
        snprintf(line, LINE_SIZE, "0x%llx in %s", (unsigned long long)offset, where->dli_fname);
    return has_lines;
}

/* With file and line if addr2line and debug information are available. */
void raise_backtrace(char *text, size_t size)
{
    void *frame[FRAME_LIMIT];
    int count = backtrace(frame, FRAME_LIMIT);
    Dl_info here, where;
    size_t used = 0;
    bool is_outside = false, has_lines = !privilege_is_raised();

    text[0] = '\0';
    if (!dladdr((void *)(uintptr_t)raise_backtrace, &here))
        return;
    for (int i = 0; i < count && used + 1 < size; i++) {
        char line[LINE_SIZE];

        if (!dladdr(frame[i], &where) || (!is_outside && where.dli_fbase == here.dli_fbase))
            continue;
        is_outside = true;
        has_lines = describe_frame(frame[i], &where, has_lines, line);
        used += (size_t)snprintf(text + used, size - used, "    at %s\n", line);
        if (strncmp(line, "main ", 5) == 0)
            break;
    }
}
