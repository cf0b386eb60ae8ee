/* MPI_File_set_view, MPI_File_get_view, MPI_File_set_info and MPI_File_get_type_extent. */
#include "file/file.h"

#include "boot/host.h"
#include "file/aggregators.h"
#include "file/datarep.h"
#include "file/independent.h"
#include "making/make.h"
#include "plain/fail.h"

#include <string.h>

/* A new view or new hints, until all ranks agree. */
struct change {
    struct file *file;
    const char *call;
    struct info *info;
    struct hints hints; /* a copy with what info offers */
    bool has_hints;
    struct view view;
};

/* Words of the ranks, of which each becomes the largest. */
struct change_words {
    int64_t error, datarep, no_datarep, extent, no_extent, has_info, may_sieve;
};

static void take_offer(struct change *c)
{
    c->has_hints = hints_copy(&c->file->hints, &c->hints);
    if (c->has_hints)
        info_offer(c->info, &c->hints, AT_SET, c->call);
}

static int agree_on_change(struct change *c, const struct change_words *mine, int error, bool *may_sieve)
{
    struct change_words w = *mine;
    struct file *file = c->file;
    int failed;

    if (!error && !c->has_hints)
        error = fail(MPI_ERR_NO_MEM, "no memory for the hints");
    w.has_info = c->info != NULL;
    w.error = agreement_word(file->comm, error);
    failed = agreement_on_largest(file->comm, (int64_t *)&w, sizeof w / sizeof(int64_t));
    if (failed)
        return error ? error : failed;
    if (w.has_info)
        failed = agree_hints(file->comm, c->has_hints ? &c->hints : &file->hints, NULL);
    error = agreement_error(c->call, file->name, error, w.error);
    if (error || failed)
        return error ? error : failed;
    if (w.datarep != ~w.no_datarep)
        return fail(MPI_ERR_NOT_SAME, "%s: datarep must be the same on all ranks", c->call);
    if (w.extent != ~w.no_extent)
        return fail(MPI_ERR_NOT_SAME,
                    "%s: the extent of etype must be the same on all ranks; it is %lld to %lld", c->call,
                    (long long)~w.no_extent, (long long)w.extent);
    *may_sieve = w.may_sieve;
    return MPI_SUCCESS;
}

static int check_disp(const struct file *file, MPI_Offset disp)
{
    if (disp < 0 && disp != MPI_DISPLACEMENT_CURRENT)
        return fail(MPI_ERR_ARG, "disp %lld is negative", (long long)disp);
    if (file_is_sequential(file) != (disp == MPI_DISPLACEMENT_CURRENT))
        return fail(MPI_ERR_ARG,
                    "disp must be MPI_DISPLACEMENT_CURRENT with MPI_MODE_SEQUENTIAL, and only then");
    return MPI_SUCCESS;
}

static int check_committed(const char *what, const struct datatype *type)
{
    if (datatype_is_usable(type))
        return MPI_SUCCESS;
    return fail(MPI_ERR_TYPE, "the %s (%s) is not committed", what, datatype_title(type));
}

/* This rank's part: the view and the hints, and what must be agreed. */
static int prepare_view(struct change *c, MPI_Offset disp, struct datatype *etype, struct datatype *filetype,
                        const char *name, struct change_words *w)
{
    const struct datarep *datarep;
    struct file *file = c->file;
    int error = check_disp(file, disp);

    if (!error && file->split)
        error = fail(MPI_ERR_OTHER, "a split collective is active on \"%s\"", file->name);
    if (!error)
        error = check_committed("etype", etype);
    if (!error)
        error = check_committed("filetype", filetype);
    if (!error)
        error = datarep_find(name, &datarep);
    if (!error)
        error = view_make(disp, etype, filetype, datarep, !(file->amode & MPI_MODE_RDONLY), &c->view);
    if (!error && c->has_hints)
        w->may_sieve = independent_may_sieve(file, &c->hints, &c->view);
    if (!error && file->rank == 0)
        error = pointer_prepare_next(file, 0);
    return error;
}

static int current_displacement(struct file *file, MPI_Offset *disp)
{
    MPI_Offset position;
    int error = view_scale(&file->view);

    if (!error)
        error = pointer_read_shared(file, &position);
    if (!error)
        *disp = view_at(&file->view, position * file->view.etype_bytes);
    return error;
}

/* The ranks have agreed. */
static void put_in_force(struct change *c, bool may_sieve)
{
    struct file *file = c->file;

    hints_move(&file->hints, &c->hints);
    aggregators_adapt(file);
    file->is_shared_sieve = may_sieve;
    file_advise(file);
    file_report(file, false);
}

int file_set_view(struct file *file, MPI_Offset disp, struct datatype *etype, struct datatype *filetype,
                  const char *datarep, struct info *info)
{
    struct change c = {.file = file, .call = "MPI_File_set_view", .info = info};
    struct change_words w = {.datarep = (int64_t)host_hash(datarep), .extent = etype->extent};
    bool may_sieve = false;
    int error;

    w.no_datarep = ~w.datarep;
    w.no_extent = ~w.extent;
    take_offer(&c);
    error = prepare_view(&c, disp, etype, filetype, datarep, &w);
    error = agree_on_change(&c, &w, error, &may_sieve);
    if (!error && disp == MPI_DISPLACEMENT_CURRENT)
        error = current_displacement(file, &c.view.disp);
    if (!error) {
        struct view old = file->view;

        put_in_force(&c, may_sieve);
        lock_take(&file->lock);
        file->view = c.view;
        file->position = 0;
        pointer_take_next(file);
        lock_release(&file->lock);
        c.view = old;
    }
    view_release(&c.view);
    if (c.has_hints)
        hints_fini(&c.hints);
    return error;
}

int file_set_info(struct file *file, struct info *info)
{
    struct change c = {.file = file, .call = "MPI_File_set_info", .info = info};
    struct change_words w = {.no_datarep = -1, .no_extent = -1};
    bool may_sieve = false;
    int error;

    take_offer(&c);
    if (c.has_hints)
        w.may_sieve = independent_may_sieve(file, &c.hints, &file->view);
    error = agree_on_change(&c, &w, MPI_SUCCESS, &may_sieve);
    if (!error)
        put_in_force(&c, may_sieve);
    if (c.has_hints)
        hints_fini(&c.hints);
    return error;
}

static int give_type(struct datatype *of, struct datatype **type)
{
    int error = datatype_again(of, type);

    return error ? error : datatype_commit(*type);
}

int file_get_view(struct file *file, MPI_Offset *disp, struct datatype **etype, struct datatype **filetype,
                  char *datarep)
{
    struct datatype *e, *f;
    int error = give_type(file->view.etype_given, &e);

    if (error)
        return error;
    error = give_type(file->view.filetype_given, &f);
    if (error) {
        if (!e->object.predefined)
            object_retire(&datatype_pool, &e->object);
        datatype_unref(e);
        return error;
    }
    *etype = e;
    *filetype = f;
    *disp = file->view.disp;
    strcpy(datarep, datarep_name(file->view.datarep));
    return MPI_SUCCESS;
}

int file_get_type_extent(struct file *file, struct datatype *type, MPI_Count *extent)
{
    struct datatype *in_file;
    int error = datarep_type(file->view.datarep, type, &in_file);

    if (error)
        return error;
    *extent = in_file->extent;
    datatype_unref(in_file);
    return MPI_SUCCESS;
}
