#include "calls.h"

#if MPI_VERSION >= 4
#define FORM(c, X, ...) ((c)->access->is_large ? MPI_File_##X##_c(__VA_ARGS__) : MPI_File_##X(__VA_ARGS__))
#else
#define FORM(c, X, ...) MPI_File_##X(__VA_ARGS__)
#endif

/* What every call names: buffer, count, datatype. */
#define MEMORY(c) (c)->buffer.origin, (c)->buffer.count, (c)->buffer.type

static int explicit_blocking(MPI_File fh, struct call *c)
{
    const struct access *a = c->access;

    if (a->is_write)
        return a->is_collective ? FORM(c, write_at_all, fh, a->offset, MEMORY(c), &c->status)
                                : FORM(c, write_at, fh, a->offset, MEMORY(c), &c->status);
    return a->is_collective ? FORM(c, read_at_all, fh, a->offset, MEMORY(c), &c->status)
                            : FORM(c, read_at, fh, a->offset, MEMORY(c), &c->status);
}

static int explicit_nonblocking(MPI_File fh, struct call *c)
{
    const struct access *a = c->access;

    if (a->is_write)
        return a->is_collective ? FORM(c, iwrite_at_all, fh, a->offset, MEMORY(c), &c->request)
                                : FORM(c, iwrite_at, fh, a->offset, MEMORY(c), &c->request);
    return a->is_collective ? FORM(c, iread_at_all, fh, a->offset, MEMORY(c), &c->request)
                            : FORM(c, iread_at, fh, a->offset, MEMORY(c), &c->request);
}

static int explicit_split(MPI_File fh, struct call *c)
{
    return c->access->is_write ? FORM(c, write_at_all_begin, fh, c->access->offset, MEMORY(c))
                               : FORM(c, read_at_all_begin, fh, c->access->offset, MEMORY(c));
}

static int individual_blocking(MPI_File fh, struct call *c)
{
    const struct access *a = c->access;

    if (a->is_write)
        return a->is_collective ? FORM(c, write_all, fh, MEMORY(c), &c->status)
                                : FORM(c, write, fh, MEMORY(c), &c->status);
    return a->is_collective ? FORM(c, read_all, fh, MEMORY(c), &c->status)
                            : FORM(c, read, fh, MEMORY(c), &c->status);
}

static int individual_nonblocking(MPI_File fh, struct call *c)
{
    const struct access *a = c->access;

    if (a->is_write)
        return a->is_collective ? FORM(c, iwrite_all, fh, MEMORY(c), &c->request)
                                : FORM(c, iwrite, fh, MEMORY(c), &c->request);
    return a->is_collective ? FORM(c, iread_all, fh, MEMORY(c), &c->request)
                            : FORM(c, iread, fh, MEMORY(c), &c->request);
}

static int individual_split(MPI_File fh, struct call *c)
{
    return c->access->is_write ? FORM(c, write_all_begin, fh, MEMORY(c))
                               : FORM(c, read_all_begin, fh, MEMORY(c));
}

static int shared_blocking(MPI_File fh, struct call *c)
{
    const struct access *a = c->access;

    if (a->is_write)
        return a->is_collective ? FORM(c, write_ordered, fh, MEMORY(c), &c->status)
                                : FORM(c, write_shared, fh, MEMORY(c), &c->status);
    return a->is_collective ? FORM(c, read_ordered, fh, MEMORY(c), &c->status)
                            : FORM(c, read_shared, fh, MEMORY(c), &c->status);
}

static int shared_nonblocking(MPI_File fh, struct call *c)
{
    return c->access->is_write ? FORM(c, iwrite_shared, fh, MEMORY(c), &c->request)
                               : FORM(c, iread_shared, fh, MEMORY(c), &c->request);
}

static int shared_split(MPI_File fh, struct call *c)
{
    return c->access->is_write ? FORM(c, write_ordered_begin, fh, MEMORY(c))
                               : FORM(c, read_ordered_begin, fh, MEMORY(c));
}

static int (*const begin[3][3])(MPI_File fh, struct call *c) = {
    [EXPLICIT] = {explicit_blocking, explicit_nonblocking, explicit_split},
    [INDIVIDUAL] = {individual_blocking, individual_nonblocking, individual_split},
    [SHARED] = {shared_blocking, shared_nonblocking, shared_split},
};

void call_begin(MPI_File fh, struct call *c, const struct etype *e, struct access *a)
{
    c->access = a;
    c->request = MPI_REQUEST_NULL;
    buffer_make(&c->buffer, e, a);
    OK(begin[a->position][a->form](fh, c));
}

static int split_end(MPI_File fh, struct call *c)
{
    void *origin = c->buffer.origin;

    switch (c->access->position) {
    case EXPLICIT:
        return c->access->is_write ? MPI_File_write_at_all_end(fh, origin, &c->status)
                                   : MPI_File_read_at_all_end(fh, origin, &c->status);
    case INDIVIDUAL:
        return c->access->is_write ? MPI_File_write_all_end(fh, origin, &c->status)
                                   : MPI_File_read_all_end(fh, origin, &c->status);
    default:
        return c->access->is_write ? MPI_File_write_ordered_end(fh, origin, &c->status)
                                   : MPI_File_read_ordered_end(fh, origin, &c->status);
    }
}

void call_end(MPI_File fh, struct call *c, const struct etype *e)
{
    if (c->access->form == SPLIT)
        OK(split_end(fh, c));
    CHECK_EQ(c->request, MPI_REQUEST_NULL);
    buffer_check(&c->buffer, e, c->access, &c->status);
    buffer_free(&c->buffer);
}
