#include "file/rounds.h"

struct file_run rounds_window(const struct rounds *r, MPI_Offset window)
{
    MPI_Offset begin = (r->first + window) * r->a->window, end = begin + r->a->window;

    begin = begin < r->begin ? r->begin : begin;
    end = end > r->end ? r->end : end;
    return (struct file_run){begin, end - begin};
}

bool rounds_next(struct rounds_cursor *c, MPI_Offset limit, struct file_run *run, MPI_Offset *data)
{
    MPI_Offset bytes;

    if (c->run.bytes == 0 && !view_next(&c->walk, INT64_MAX, &c->run)) {
        c->run.bytes = 0;
        return false;
    }
    if (c->run.at >= limit)
        return false;
    bytes = limit - c->run.at < c->run.bytes ? limit - c->run.at : c->run.bytes;
    *run = (struct file_run){c->run.at, bytes};
    *data = c->data;
    c->run = (struct file_run){c->run.at + bytes, c->run.bytes - bytes};
    c->data += bytes;
    return true;
}

MPI_Offset rounds_got(const struct aggregator_half *half, MPI_Offset at, MPI_Offset bytes)
{
    MPI_Offset got = *half->got - at;

    return got < 0 ? 0 : got < bytes ? got : bytes;
}

void rounds_fail(struct rounds *r, int error)
{
    if (!r->error)
        r->error = error;
}

void rounds_end_data(struct rounds *r, MPI_Offset data, MPI_Offset bytes, MPI_Offset got)
{
    if (got < bytes && data + got < r->data_end)
        r->data_end = data + got;
}
