/* Arrays of handles, statuses and constants. */
#include "foreign/foreign.h"

#include <stdlib.h>

static void *take(size_t size)
{
    void *block = malloc(size);

    if (!block)
        foreign_fail("no memory for the arguments of a call");
    return block;
}

MPI_Request *requests_in(struct request_array *array, const F_Request *request, int64_t count)
{
    array->count = request && count > 0 ? count : 0;
    array->now = array->count > FOREIGN_NEAR ? take(2 * (size_t)count * sizeof *array->now) : array->near;
    array->was = array->now + array->count;
    for (int64_t i = 0; i < array->count; i++)
        array->now[i] = array->was[i] = request_in(request[i]);
    return request ? array->now : NULL;
}

void requests_out(struct request_array *array, F_Request *request)
{
    for (int64_t i = 0; i < array->count; i++)
        if (array->now[i] != array->was[i]) {
            kept_drop(array->was[i]);
            request_drop(request[i]);
            request[i] = request_out(array->now[i]);
        }
    requests_free(array);
}

int inkling_posted(F_Request request, const void *caller)
{
    request_mark(request_in(request), caller);
    return 0;
}

void requests_started(const struct request_array *array, const void *caller)
{
    for (int64_t i = 0; i < array->count; i++)
        request_mark(array->now[i], caller);
}

void requests_free(struct request_array *array)
{
    if (array->now != array->near)
        free(array->now);
}

MPI_Status *statuses_room(struct status_array *array, F_Status *out, int64_t count)
{
    array->room = array->near;
    array->out = out;
    array->count = 0;
    if (out == FOREIGN_STATUS_IGNORE || !out)
        return MPI_STATUSES_IGNORE;
    array->count = count > 0 ? count : 0;
    if (count > FOREIGN_NEAR)
        array->room = take((size_t)count * sizeof *array->room);
    for (int64_t i = 0; i < count; i++)
        array->room[i] = STATUS_ROOM;
    return array->room;
}

void statuses_out(struct status_array *array)
{
    for (int64_t i = 0; i < array->count; i++)
        status_out(&array->room[i], &array->out[i]);
    if (array->room != array->near)
        free(array->room);
}

void *scratch_take(struct scratch *scratch, size_t size)
{
    scratch->block = size > sizeof scratch->near ? take(size) : NULL;
    return scratch->block ? scratch->block : scratch->near;
}

void scratch_free(struct scratch *scratch)
{
    free(scratch->block);
}

MPI_Datatype *types_in(struct scratch *scratch, const F_Datatype *type, int64_t count, bool is_kept)
{
    MPI_Datatype *in;

    scratch->block = NULL;
    if (!type)
        return NULL;
    if (count < 0)
        count = 0;
    in = is_kept ? scratch->block = take((size_t)count * sizeof *in + 1)
                 : scratch_take(scratch, (size_t)count * sizeof *in);
    for (int64_t i = 0; i < count; i++)
        in[i] = datatype_in(type[i]);
    return in;
}

void types_out(const MPI_Datatype *type, F_Datatype *out, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        if (type[i])
            out[i] = datatype_out(type[i]);
}

int *array_in(struct scratch *scratch, const int *value, int64_t count, int (*convert)(int))
{
    int *in;

    scratch->block = NULL;
    if (!value)
        return NULL;
    in = scratch_take(scratch, count > 0 ? (size_t)count * sizeof *in : 0);
    for (int64_t i = 0; i < count; i++)
        in[i] = value[i] < 0 || convert != rank_constant_in ? convert(value[i]) : value[i];
    return in;
}

void array_out(int *value, int64_t count, int (*convert)(int), int error)
{
    for (int64_t i = 0; value && !error && i < count; i++)
        value[i] = convert(value[i]);
}

int64_t sum_of(const int *value, int64_t count)
{
    int64_t sum = 0;

    for (int64_t i = 0; value && i < count; i++)
        sum += value[i];
    return sum;
}

void text_out(const char *from, char *text, size_t room, int *length, int error)
{
    size_t have = strlen(from);

    if (error || !text)
        return;
    if (have > room - 1)
        have = room - 1;
    memcpy(text, from, have);
    text[have] = '\0';
    if (length)
        *length = (int)have;
}

int peers_of(MPI_Comm comm)
{
    int inter = 0, size = 0;

    if (real.Comm_test_inter(comm, &inter) != MPI_SUCCESS)
        return 0;
    if (inter)
        real.Comm_remote_size(comm, &size);
    else
        real.Comm_size(comm, &size);
    return size;
}

int neighbors_of(MPI_Comm comm, int receives)
{
    int topology = MPI_UNDEFINED, dims = 0, rank = 0, weighted, degree[2] = {0, 0};

    if (real.Topo_test(comm, &topology) != MPI_SUCCESS)
        return 0;
    if (topology == MPI_CART) {
        real.Cartdim_get(comm, &dims);
        return 2 * dims;
    }
    if (topology == MPI_GRAPH) {
        real.Comm_rank(comm, &rank);
        real.Graph_neighbors_count(comm, rank, &degree[0]);
        return degree[0];
    }
    if (topology == MPI_DIST_GRAPH)
        real.Dist_graph_neighbors_count(comm, &degree[1], &degree[0], &weighted);
    return degree[receives];
}
