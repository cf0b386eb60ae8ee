#include "file/view.h"

#include "file/datarep.h"
#include "plain/fail.h"

/* The place of the entries of a layout: first displacement, and that of the last. */
struct ends {
    MPI_Count first, last;
};

/* The ends of a typed layout whose entries do not go back; false: they do. */
static bool find_ends(const struct layout *typed, struct ends *ends)
{
    ends->first = ends->last = 0;
    for (size_t i = 0; i < typed->pieces; i++) {
        const struct loop *p = &typed->piece[i];
        struct ends body = {0, 0};

        if (p->body && !find_ends(p->body, &body))
            return false;
        if (!p->body)
            body.last = p->bytes - p->basic->size;
        if (p->count > 1 && p->stride < body.last - body.first)
            return false;
        if (i && p->at + body.first < ends->last)
            return false;
        if (i == 0)
            ends->first = p->at + body.first;
        ends->last = p->at + (p->count - 1) * p->stride + body.last;
    }
    return true;
}

static int check_file_type(const char *what, struct datatype *type, bool is_written)
{
    struct ends ends;

    if (type->size == 0)
        return MPI_SUCCESS;
    if (!find_ends(type->typed, &ends))
        return fail(MPI_ERR_TYPE, "the displacements of the %s (%s) decrease", what, datatype_title(type));
    if (ends.first < 0)
        return fail(MPI_ERR_TYPE, "the %s (%s) begins at displacement %lld; it must not be negative", what,
                    datatype_title(type), (long long)ends.first);
    if (type->extent < 0)
        return fail(MPI_ERR_TYPE, "the %s (%s) has extent %lld; it must not be negative", what,
                    datatype_title(type), (long long)type->extent);
    if (is_written && datatype_check_receive(type, 1))
        return fail(MPI_ERR_TYPE, "the %s (%s) overlaps itself, but the file is open for writing", what,
                    datatype_title(type));
    return MPI_SUCCESS;
}

static int check_view_types(struct datatype *etype, struct datatype *filetype, bool is_written)
{
    int error = check_file_type("etype", etype, is_written);

    if (!error && etype->size == 0)
        error = fail(MPI_ERR_TYPE, "the etype (%s) has no data", datatype_title(etype));
    if (!error)
        error = check_file_type("filetype", filetype, is_written);
    if (!error && filetype->size % etype->size)
        error = fail(MPI_ERR_TYPE,
                     "the filetype (%s) has %lld bytes, which are no whole number of etypes of %lld",
                     datatype_title(filetype), (long long)filetype->size, (long long)etype->size);
    return error;
}

int view_make(MPI_Offset disp, struct datatype *etype, struct datatype *filetype,
              const struct datarep *datarep, bool is_written, struct view *view)
{
    struct view made = {.disp = disp, .etype_given = etype, .filetype_given = filetype, .datarep = datarep};
    int error = check_view_types(etype, filetype, is_written);

    if (!error && !datarep_is_programs(datarep))
        error = view_scale(&made);
    if (error)
        return error;
    datatype_ref(etype);
    datatype_ref(filetype);
    *view = made;
    return MPI_SUCCESS;
}

int view_scale(struct view *view)
{
    struct datatype *etype, *filetype;
    int error;

    if (view->filetype)
        return MPI_SUCCESS;
    error = datarep_type(view->datarep, view->etype_given, &etype);
    if (error)
        return error;
    error = datarep_type(view->datarep, view->filetype_given, &filetype);
    if (!error) {
        view->filetype = filetype;
        view->etype_bytes = etype->size;
        view->is_dense = filetype->dense;
        view->is_ordered = filetype->true_extent <= filetype->extent;
    }
    datatype_unref(etype);
    return error;
}

void view_release(struct view *view)
{
    if (!view->etype_given)
        return;
    datatype_unref(view->etype_given);
    datatype_unref(view->filetype_given);
    if (view->filetype)
        datatype_unref(view->filetype);
    view->etype_given = NULL;
}

/* An offset in the file as the address of a byte, for layouts. */
static const void *base_of(const struct view *view)
{
    return (const void *)(uintptr_t)view->disp;
}

static MPI_Offset offset_of(const void *at)
{
    return (MPI_Offset)(uintptr_t)at;
}

MPI_Offset view_at(const struct view *view, MPI_Offset from)
{
    if (view->is_dense || view->filetype->size == 0)
        return view->disp + from;
    return offset_of(layout_runs(&view->filetype->items, base_of(view), from).at);
}

int view_check_range(const struct view *view, MPI_Offset from, MPI_Offset bytes)
{
    const struct datatype *type = view->filetype;
    MPI_Offset end, last;

    if (__builtin_add_overflow(from, bytes, &end))
        return fail(MPI_ERR_ARG, "an access of %lld bytes goes beyond the largest offset", (long long)bytes);
    last = from + (bytes > 0 ? bytes - 1 : 0);
    if (type->size == 0)
        return bytes ? fail(MPI_ERR_ARG, "%lld bytes are to be accessed, but the filetype (%s) has no data",
                            (long long)bytes, datatype_title(view->filetype_given))
                     : MPI_SUCCESS;
    if (__builtin_mul_overflow(last / type->size, type->extent, &end) ||
        __builtin_add_overflow(end, type->true_lb + type->true_extent, &end) ||
        __builtin_add_overflow(end, view->disp, &end))
        return fail(MPI_ERR_ARG, "the access ends beyond the largest offset of a file");
    return MPI_SUCCESS;
}

int view_check_place(const struct view *view, MPI_Offset position, MPI_Offset etypes)
{
    MPI_Offset from, bytes;

    if (position < 0)
        return fail(MPI_ERR_ARG, "offset %lld is negative", (long long)position);
    if (__builtin_mul_overflow(position, view->etype_bytes, &from))
        return fail(MPI_ERR_ARG, "offset %lld is beyond the largest offset of a file", (long long)position);
    if (__builtin_mul_overflow(etypes, view->etype_bytes, &bytes))
        return fail(MPI_ERR_ARG, "%lld etypes of %lld bytes are more than a file can hold", (long long)etypes,
                    (long long)view->etype_bytes);
    return view_check_range(view, from, bytes);
}

/* Binary search: positions grow with their places, except where tiles overlap. */
int view_position_of(const struct view *view, MPI_Offset at, MPI_Offset *position)
{
    const struct datatype *type = view->filetype;
    MPI_Offset low = 0, high, tiles;

    if (at <= view->disp || type->size == 0) {
        *position = 0;
        return MPI_SUCCESS;
    }
    if (type->extent == 0)
        return fail(MPI_ERR_ARG, "a view whose filetype has extent 0 has no end of file");
    tiles = (at - view->disp) / type->extent + 1;
    if (__builtin_mul_overflow(tiles, type->size, &high))
        return fail(MPI_ERR_ARG, "the position of byte %lld in the view is beyond the largest offset",
                    (long long)at);
    high /= view->etype_bytes;
    while (low < high) {
        MPI_Offset middle = low + (high - low) / 2;

        if (view_at(view, middle * view->etype_bytes) >= at)
            high = middle;
        else
            low = middle + 1;
    }
    *position = low;
    return MPI_SUCCESS;
}

void view_walk_begin(struct view_walk *walk, const struct view *view, MPI_Offset from, MPI_Offset bytes)
{
    *walk = (struct view_walk){.view = view, .from = from, .left = bytes};
}

/* The next run as the layout gives it. */
static bool next_piece(struct view_walk *walk, struct file_run *run)
{
    if (walk->left == 0)
        return false;
    if (walk->view->is_dense) {
        *run = (struct file_run){walk->view->disp + walk->from, walk->left};
        walk->left = 0;
        return true;
    }
    if (walk->runs.count == 0)
        walk->runs = layout_runs(&walk->view->filetype->items, base_of(walk->view), walk->from);
    *run = (struct file_run){offset_of(walk->runs.at),
                             walk->runs.bytes < walk->left ? walk->runs.bytes : walk->left};
    walk->runs.at += walk->runs.stride;
    walk->runs.count--;
    walk->from += run->bytes;
    walk->left -= run->bytes;
    return true;
}

bool view_next(struct view_walk *walk, MPI_Offset most, struct file_run *run)
{
    struct file_run next;

    if (walk->ahead.bytes)
        *run = walk->ahead;
    else if (!next_piece(walk, run))
        return false;
    walk->ahead.bytes = 0;
    while (run->bytes < most && next_piece(walk, &next)) {
        if (next.at != run->at + run->bytes) {
            walk->ahead = next;
            return true;
        }
        run->bytes += next.bytes;
    }
    if (run->bytes > most) {
        walk->ahead = (struct file_run){run->at + most, run->bytes - most};
        run->bytes = most;
    }
    return true;
}
