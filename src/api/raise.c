#include "api/raise.h"

#include "api/check.h"
#include "api/handle.h"
#include "boot/boot.h"
#include "object/error.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

enum {
    BLOCK_SIZE = 3072 /* what a launcher takes, see boot_abort */
};

/* As the launcher was told (MPI-5.0 section 11.5, mpi_initial_errhandler); fatal by default. */
static struct errhandler *initial_handler(void)
{
    const char *name = getenv("INKLING_JOB_ERRHANDLER");

    if (name && strcasecmp(name, "mpi_errors_return") == 0)
        return &errhandler_return;
    if (name && strcasecmp(name, "mpi_errors_abort") == 0)
        return &errhandler_abort;
    return &errhandler_fatal;
}

static void add_line(char *block, const char *format, const char *text)
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

/* One block, which the launcher shows once for all ranks. The program's own output comes first. */
static _Noreturn void die(const struct comm *comm, int error, const char *call)
{
    static atomic_flag is_dying = ATOMIC_FLAG_INIT;
    static char block[BLOCK_SIZE];
    char text[MPI_MAX_ERROR_STRING];
    int length;

    if (atomic_flag_test_and_set(&is_dying)) {
        while (true)
            pause();
    }
    if (error_get_string(error, text, &length))
        snprintf(text, sizeof text, "error %d", error);
    fflush(stdout);
    add_line(block, "inkling: fatal error in %s\n", call);
    add_line(block, "  %s\n", text);
    add_place(block, comm);
    backtrace_format(block + strlen(block), BLOCK_SIZE - strlen(block));
    boot_abort(error > 0 && error < 256 ? error : 1, block);
}

/* A new reference. */
static struct errhandler *handler_for(const struct comm *comm)
{
    if (comm)
        return errhandler_of(&comm->errhandler);
    errhandler_init();
    return initial_handler();
}

int raise_error(struct object *owner, int error, const char *call)
{
    struct comm *comm = owner && owner->kind == OBJECT_COMM ? (struct comm *)owner : NULL;
    struct errhandler *handler;

    if (!comm && check_is_up())
        comm = &comm_self;
    handler = handler_for(comm);
    if (handler == &errhandler_fatal || handler == &errhandler_abort)
        die(comm, error, call);
    if (handler->on == OBJECT_COMM && comm) {
        MPI_Comm handle = handle_of(comm, MPI_COMM_NULL);
        int code = error;

        handler->call.comm(&handle, &code);
    }
    if (comm)
        errhandler_unref(handler);
    return error;
}
