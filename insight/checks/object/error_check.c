#include "insight/checks/object/object_check.h"

#include "insight/board/process_record.h"
#include "insight/call/program_site.h"
#include "insight/call/tracked.h"
#include "insight/findings/finding.h"
#include "insight/objects/comm_loss.h"
#include "insight/objects/comm_record.h"
#include "insight/objects/file_record.h"
#include "insight/objects/request_record.h"
#include "insight/objects/win_record.h"

#include <insight/checks.h>
#include <stdio.h>
#include <string.h>

enum {
    KEPT = 16
};

static struct unread {
    void *site;
    char text[MPI_MAX_ERROR_STRING + 64];
} kept[KEPT];

static int count;
static bool is_read;

/* The instruction behind the call compares what it has returned, or keeps it: not known of other processors, and of Fortran. */
static bool is_looked_at(const struct intercept *call)
{
#if defined __x86_64__
    const unsigned char *next = call->code;

    if (call->is_fortran || program_site_is_script(call->site))
        return true;
    if ((*next & 0xf0) == 0x40) /* REX */
        next++;
    return (next[0] == 0x85 && next[1] == 0xc0) || (next[0] == 0x89 && (next[1] >> 3 & 7) == 0) ||
           (next[0] == 0x83 && next[1] == 0xf8) || next[0] == 0x3d;
#else
    return call->site != NULL;
#endif
}

static bool is_mistake(const struct intercept *call, int class)
{
    static const int classes[] = {MPI_ERR_ARG,   MPI_ERR_COUNT, MPI_ERR_TYPE, MPI_ERR_BUFFER,
                                  MPI_ERR_AMODE, MPI_ERR_FILE,  MPI_ERR_COMM, MPI_ERR_UNSUPPORTED_OPERATION,
                                  MPI_ERR_OTHER};

    if (class == MPI_ERR_ACCESS || class == MPI_ERR_READ_ONLY) /* else the file's owner has not allowed it */
        return call->procedure->family != FAMILY_FILE_OPEN;
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
        if (classes[i] == class)
            return true;
    return false;
}

/* A call on a file has returned an error that does not end the job. */
static void error_unread_keep(const struct intercept *call, int error)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int class = error, length;

    if (is_read || count == KEPT || is_looked_at(call) || strncmp(call->procedure->name, "MPI_File_", 9) != 0)
        return;
    real.Error_class(error, &class);
    if (!is_mistake(call, class) || (class == MPI_ERR_FILE && count > 0)) /* that file was not opened */
        return;
    real.Error_string(error, text, &length);
    kept[count].site = call->site;
    snprintf(kept[count].text, sizeof kept[count].text, "%s: %s", call->procedure->name, text);
    count++;
}

void error_unread_asked(struct intercept *call, int error)
{
    (void)call;
    (void)error;
    is_read = true;
}

void error_unread_tell(void)
{
    for (int i = 0; i < count && !is_read; i++)
        finding_add(
            &(struct finding_about){.class = FINDING_ARGUMENT,
                                    .where = kept[i].site,
                                    .fix = "see the text of the error, which the call has returned: files "
                                           "begin with MPI_ERRORS_RETURN"},
            "%s", kept[i].text);
    count = 0;
}

/* The error of this thread's call is for the handler of MPI_COMM_WORLD. */
static __thread bool is_for_world;

static bool is_fatal_handler(MPI_Errhandler handler)
{
    return handler == MPI_ERRORS_ARE_FATAL || handler == MPI_ERRORS_ABORT;
}

void error_check_take_comm(MPI_Comm comm)
{
    struct comm_record *record = comm_check_find(comm);
    MPI_Errhandler handler;

    if (!record || real.Comm_get_errhandler(comm, &handler))
        return;
    if (is_fatal_handler(handler)) {
        record->fatal = handler;
        real.Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    } else {
        record->fatal = MPI_ERRHANDLER_NULL;
        if (handler != MPI_ERRORS_RETURN)
            real.Errhandler_free(&handler);
    }
}

void error_check_start(void)
{
    error_check_take_comm(MPI_COMM_WORLD);
    error_check_take_comm(MPI_COMM_SELF);
}

void error_check_inherit(uint64_t parent, uint64_t child)
{
    struct comm_record *from = tracked_find(TRACKED_COMM, parent), *to = tracked_find(TRACKED_COMM, child);

    if (from && to)
        to->fatal = from->fatal;
}

void error_check_take_win(MPI_Win win)
{
    struct win_record *record = win_check_find(win);

    if (record && !real.Win_set_errhandler(win, MPI_ERRORS_RETURN))
        record->fatal = MPI_ERRORS_ARE_FATAL;
}

static MPI_Errhandler *fatal_of(const struct intercept *call)
{
    enum family family = call->procedure->family; /* those that free have a pointer */
    uint64_t comm_handle =
        (uint64_t)(family == FAMILY_COMM_FREE ? call->saved[0] : intercept_argument(call, AT_COMM));
    uint64_t win_handle =
        (uint64_t)(family == FAMILY_WIN_FREE ? call->saved[0] : intercept_argument(call, AT_WIN));
    uint64_t file_handle =
        (uint64_t)(family == FAMILY_FILE_CLOSE ? call->saved[0] : intercept_argument(call, AT_FILE));
    struct file_record *file = tracked_find(TRACKED_FILE, file_handle);
    struct comm_record *comm = tracked_find(TRACKED_COMM, comm_handle);
    struct win_record *win = tracked_find(TRACKED_WIN, win_handle);

    return intercept_has(call, AT_FILE) && file   ? &file->comm.fatal
           : intercept_has(call, AT_COMM) && comm ? &comm->fatal
           : intercept_has(call, AT_WIN) && win   ? &win->fatal
                                                  : NULL;
}

void error_check_set(struct intercept *call)
{
    int64_t *handler = &call->argument[(int)call->procedure->at[AT_ERRHANDLER]];

    call->saved[0] = *handler;
    if (fatal_of(call) && is_fatal_handler((MPI_Errhandler)(intptr_t)*handler))
        *handler = (int64_t)(intptr_t)MPI_ERRORS_RETURN;
}

void error_check_set_done(struct intercept *call, int error)
{
    MPI_Errhandler *fatal = fatal_of(call), handler = (MPI_Errhandler)(intptr_t)call->saved[0];
    struct comm_record *comm = intercept_has(call, AT_COMM)
                                   ? comm_check_find((MPI_Comm)(intptr_t)intercept_argument(call, AT_COMM))
                                   : NULL;

    if (!error && fatal)
        *fatal = is_fatal_handler(handler) ? handler : MPI_ERRHANDLER_NULL;
    if (!error && comm)
        comm->has_own_handler = true;
}

void error_check_got(struct intercept *call, int error)
{
    MPI_Errhandler *fatal = fatal_of(call),
                   *out = (MPI_Errhandler *)(intptr_t)intercept_argument(call, AT_NEW);

    if (!error && fatal && *fatal != MPI_ERRHANDLER_NULL && *out == MPI_ERRORS_RETURN)
        *out = *fatal;
}

static enum finding_class class_of_error(const struct intercept *call, int class, const char *text)
{
    static const struct {
        int error;
        enum finding_class class;
    } row[] = {{MPI_ERR_TRUNCATE, FINDING_COUNT},
               {MPI_ERR_RMA_SYNC, FINDING_EPOCH},
               {MPI_ERR_RMA_CONFLICT, FINDING_CONFLICT},
               {MPI_ERR_REQUEST, FINDING_REQUEST},
               {MPI_ERR_PENDING, FINDING_REQUEST}};

    if (strstr(text, "mpi_assert") || strstr(text, "no_locks") || strstr(text, "accumulate_") ||
        strstr(text, "same_size") || strstr(text, "same_disp"))
        return FINDING_HINT;
    if (call->procedure->family == FAMILY_PACK || call->procedure->family == FAMILY_UNPACK)
        return FINDING_ARGUMENT; /* the buffer's size */
    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        if (row[i].error == class)
            return row[i].class;
    return FINDING_ARGUMENT;
}

/* The call that posted the operation, when a completion call failed for one. */
static struct finding_about about_error(struct intercept *call)
{
    struct finding_about about = {.call = call, .is_quiet = true, .fix = "see the text of the error"};

    if (call->procedure->family >= FAMILY_WAIT && call->procedure->family <= FAMILY_TESTSOME &&
        call->saved[3]) {
        about.made = (void *)(intptr_t)call->saved[3];
        about.made_by = "the operation";
    }
    return about;
}

/* The communicator that errors without an object are raised on: row "handlers" of docs/TOLERANCES.md. NULL: there is no World
 * Model. */
static struct comm_record *record_of_no_object(void)
{
    struct comm_record *world = comm_check_find(MPI_COMM_WORLD), *self = comm_check_find(MPI_COMM_SELF);

    return world && self && world->has_own_handler && !self->has_own_handler ? world : self;
}

static bool is_of_request(const struct intercept *call)
{
    return call->detail && call->procedure->family >= FAMILY_WAIT &&
           call->procedure->family <= FAMILY_TESTSOME;
}

static bool is_ending(const struct intercept *call)
{
    MPI_Errhandler *fatal = fatal_of(call);
    struct comm_record *comm;

    if (strstr(call->procedure->name, "File_open") || strstr(call->procedure->name, "datarep"))
        return false; /* MPI_FILE_NULL begins with MPI_ERRORS_RETURN */
    if (fatal)
        return *fatal != MPI_ERRHANDLER_NULL;
    if (strstr(call->procedure->name, "File_"))
        return false;
    if (is_of_request(call) && !call->saved[1])
        return false; /* of a file */
    comm = call->detail && request_check_comm(call) ? comm_check_find(request_check_comm(call))
                                                    : record_of_no_object();
    return comm && comm->fatal != MPI_ERRHANDLER_NULL;
}

/* Its error is raised on MPI_COMM_SELF, as the library below is told: it refers to no object, or to none that exists. */
static bool is_of_no_object(const struct intercept *call)
{
    return !fatal_of(call) && !strstr(call->procedure->name, "File_") &&
           !strstr(call->procedure->name, "datarep") && !intercept_has(call, AT_SESSION) &&
           !is_of_request(call) && !(call->detail && request_check_comm(call)) &&
           !object_session_is_of_session(call);
}

/* The library below has MPI_ERRORS_RETURN on MPI_COMM_SELF, which is from here. */
static void take_to_world(struct intercept *call)
{
    static bool is_said;

    if (record_of_no_object() != comm_check_find(MPI_COMM_WORLD) || !is_of_no_object(call))
        return;
    is_for_world = process_is_inkling();
    if (is_for_world && !is_said)
        finding_add(
            &(struct finding_about){
                .class = FINDING_TOLERANCE, .call = call, .fix = "set the handler of MPI_COMM_SELF as well"},
            "%s: an error that belongs to no object goes to the error handler of MPI_COMM_WORLD, since the "
            "program has set none on MPI_COMM_SELF",
            call->procedure->name);
    is_said |= is_for_world;
}

void error_check_call_handler(int error)
{
    if (is_for_world)
        real.Comm_call_errhandler(MPI_COMM_WORLD, error);
    is_for_world = false;
}

static const uint64_t differences = UINT64_C(1) << FINDING_COLLECTIVE | UINT64_C(1) << FINDING_ROOT |
                                    UINT64_C(1) << FINDING_OPERATION | UINT64_C(1) << FINDING_TYPE |
                                    UINT64_C(1) << FINDING_COUNT;

/* Collectives that differ get each other's messages. */
static bool is_consequence(const struct intercept *call, int class)
{
    bool is_completion = call->procedure->family >= FAMILY_WAIT && call->procedure->family <= FAMILY_TESTSOME;

    if (is_completion ? !call->saved[4] : call->detail || intercept_has(call, AT_SOURCE))
        return false;
    return (class == MPI_ERR_TRUNCATE || class == MPI_ERR_OTHER || class == MPI_ERR_IN_STATUS) &&
           finding_is_known(differences);
}

bool error_check_say(struct intercept *call, int error)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    struct finding_about about = about_error(call);
    int length, class = error;

    if (!is_ending(call)) {
        take_to_world(call);
        error_unread_keep(call, error);
        return false;
    }
    real.Error_class(error, &class);
    if (is_consequence(call, class) || comm_loss_of_error(error) != LOSS_NOT)
        return true;
    real.Error_string(error, text, &length);
    about.class = class_of_error(call, class, text);
    about.is_certain = true;
    finding_add(&about, "%s: %s", call->procedure->name, text);
    return true;
}

bool error_check_has_flushed(int error)
{
    int class = MPI_SUCCESS;

    if (error)
        real.Error_class(error, &class);
    return class != MPI_ERR_WIN && class != MPI_ERR_RANK && class != MPI_ERR_RMA_SYNC;
}
