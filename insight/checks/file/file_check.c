/* file_check: collective calls on one file handle are the same on all ranks, in one order (MPI-5.0 section 14.6.4), and what
 * must be equal on all ranks is. Also what the file's info asserts (kind_check.h, style_check.h).
 *
 * The library below tells the program of unequal arguments, as MPI_ERR_NOT_SAME, but files begin with MPI_ERRORS_RETURN, so that
 * programs that ignore what calls return never hear of it.
 */
#include "insight/checks/buffer/kind_check.h"
#include "insight/checks/collective/collective_check.h"
#include "insight/checks/file/file_conflict.h"
#include "insight/checks/file/style_check.h"
#include "insight/checks/object/comm_check.h"
#include "insight/checks/request/request_check.h"
#include "insight/findings/finding.h"
#include "insight/objects/info_value.h"
#include "insight/order/order_clock.h"

#include <insight/checks.h>
#include <stdlib.h>
#include <string.h>

static void say_not_same(struct intercept *call, int error)
{
    int class = MPI_SUCCESS, length = 0;
    char text[MPI_MAX_ERROR_STRING] = "";

    if (error)
        real.Error_class(error, &class);
    if (class != MPI_ERR_NOT_SAME)
        return;
    real.Error_string(error, text, &length);
    finding_add(&(struct finding_about){.class = FINDING_ARGUMENT,
                                        .call = call,
                                        .fix = "give the same value on all ranks"},
                "%s", text);
}

static void learn_file_hints(const struct intercept *call, struct file_record *file, MPI_File handle)
{
    MPI_Info info = MPI_INFO_NULL;

    if (real.File_get_info(handle, &info) || info == MPI_INFO_NULL)
        return;
    info_value_add_given(call, info);
    style_check_learn(call, &file->style, info);
    kind_check_learn(call, &file->comm, info);
    real.Info_free(&info);
}

void file_check_opened(struct intercept *call, int error)
{
    struct comm_record *comm = comm_check_of(call);
    const MPI_File *handle = (MPI_File *)(intptr_t)intercept_argument(call, AT_NEW);
    struct file_record *file =
        error ? NULL : tracked_add(TRACKED_FILE, (uint64_t)(uintptr_t)*handle, sizeof *file, call);

    say_not_same(call, error);
    if (!file || !comm)
        return;
    file->comm = *comm;
    file->comm.number = comm_check_derive(comm);
    file->comm.calls = 0;
    file->comm.fatal = MPI_ERRHANDLER_NULL; /* files begin with MPI_ERRORS_RETURN */
    file->comm.world = comm->world ? malloc((size_t)(comm->targets + 1) * sizeof *comm->world) : NULL;
    if (file->comm.world)
        memcpy(file->comm.world, comm->world, (size_t)comm->targets * sizeof *comm->world);
    file->comm.kinds = 0;
    style_check_opened(&file->style);
    file_conflict_opened(call, &file->order, &file->comm);
    learn_file_hints(call, file, *handle);
}

void file_check_before(struct intercept *call)
{
    struct file_record *file;

    if (call->procedure->family == FAMILY_FILE_CLOSE)
        call->saved[0] = *(int64_t *)(intptr_t)intercept_argument(call, AT_FILE);
    order_tell();
    file = file_check_of(call);
    if (file)
        collective_check_enter(call, &file->comm);
}

/* The buffers of a split collective are under way until it ends. */
static bool is_split_begin(const struct intercept *call)
{
    return strstr(call->procedure->name, "_begin") != NULL;
}

void file_check_after(struct intercept *call, int error)
{
    struct file_record *file = file_check_of(call);

    collective_check_returned(call, error);
    say_not_same(call, error);
    if (error)
        return;
    collective_check_learn(call, file_check_comm(call));
    if (file && is_split_begin(call))
        request_check_hold_file(call, file);
    if (file && call->procedure == &procedures[PROCEDURE_File_set_view])
        style_check_view(call, &file->style);
    if (file)
        file_conflict_changed(call, &file->order);
    if (file && intercept_has(call, AT_INFO))
        learn_file_hints(call, file, (MPI_File)(intptr_t)intercept_argument(call, AT_FILE));
}

void file_check_ended(struct intercept *call, int error)
{
    struct file_record *file = file_check_of(call);

    if (file && !error)
        request_check_release(call, file, -1);
}

void file_check_closed(struct intercept *call, int error)
{
    struct file_record *file = file_check_of(call);

    file_check_after(call, error);
    if (error || !file)
        return;
    file_conflict_closed(&file->order);
    free(file->comm.world);
    tracked_remove(TRACKED_FILE, file->base.handle);
}
