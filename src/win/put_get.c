#include "win/put_get.h"

#include "plain/fail.h"
#include "win/agent.h"
#include "win/epoch.h"
#include "win/win_network.h"

#include <stdlib.h>

/* The bytes of both sides' items: the origin's must not be more than the target's for a put, and not fewer for
 * a get. */
static int check_bytes(const struct datatype *from_type, MPI_Count from_count, const struct datatype *to_type,
                       MPI_Count to_count, size_t *bytes)
{
    size_t room;
    int error = datatype_bytes(from_type, from_count, bytes);

    if (!error)
        error = datatype_bytes(to_type, to_count, &room);
    if (!error && *bytes > room)
        error = fail(MPI_ERR_TRUNCATE, "%zu bytes do not fit into %zu bytes", *bytes, room);
    return error;
}

/* Copies between the origin and memory of the host that this process does not map. */
static int copy_by_kernel(const struct user_buffer *origin, const struct target *t, size_t bytes, bool is_put)
{
    const struct device *device =
        datatype_device(origin->type, origin->at, hint_buffer_kinds(&t->win->hints));
    void *packed;
    int error = MPI_SUCCESS;

    metric_count(METRIC_RMA_KERNEL_COPIES, 1);
    if (origin->type->dense && !device)
        return target_copy(t, is_put, origin->at, bytes);
    packed = malloc(bytes);
    if (!packed)
        return fail(MPI_ERR_NO_MEM, "no memory to pack %zu bytes", bytes);
    if (is_put)
        error = datatype_pack_from(device, origin->type, origin->at, 0, packed, bytes);
    if (!error)
        error = target_copy(t, is_put, packed, bytes);
    if (!error && !is_put)
        error = datatype_unpack_to(device, origin->type, origin->at, 0, packed, bytes);
    free(packed);
    return error;
}

/* Copies between the origin and memory that this process maps. */
static inline int copy_mapped(const struct user_buffer *origin, const struct target *t, size_t bytes,
                              bool is_put)
{
    int64_t kinds = hint_buffer_kinds(&t->win->hints);

    if (origin->type->dense && t->type->dense && !kind_set_has_device(kinds)) {
        copy_bytes(is_put ? t->at : origin->at, is_put ? origin->at : t->at, bytes);
        return MPI_SUCCESS;
    }
    if (is_put)
        return datatype_copy_kinds(origin->at, origin->count, origin->type, t->at, t->count, t->type, kinds);
    return datatype_copy_kinds(t->at, t->count, t->type, origin->at, origin->count, origin->type, kinds);
}

static inline int check_copy(const struct user_buffer *origin, const struct target *t, bool is_put,
                             size_t *bytes)
{
    int error = is_put ? check_bytes(origin->type, origin->count, t->type, t->count, bytes)
                       : check_bytes(t->type, t->count, origin->type, origin->count, bytes);

    if (error)
        return error;
    return is_put ? datatype_check_receive(t->type, t->count)
                  : datatype_check_receive(origin->type, origin->count);
}

/* By the network, if it can, or by the target. */
static int copy_remote(const struct user_buffer *origin, const struct target *t, size_t bytes, bool is_put,
                       struct request **request)
{
    bool has_begun = false;
    int error = win_network_copy(t, origin, bytes, is_put, request, &has_begun);

    if (error || has_begun)
        return error;
    return is_put ? agent_put(t, origin, bytes, request) : agent_get(t, origin, bytes, request);
}

/* Inline, so that each of the two has its own without the questions. */
static inline __attribute__((always_inline)) int
put_or_get(const struct user_buffer *origin, struct target *t, bool is_put, struct request **request)
{
    size_t bytes;
    int error = request ? epoch_check_request(t->win, t->rank) : MPI_SUCCESS;

    if (error || t->rank == MPI_PROC_NULL)
        return error ? error : win_finish(request);
    error = check_copy(origin, t, is_put, &bytes);
    if (error)
        return error;
    epoch_note_access(t->win);
    if (!bytes)
        return win_finish(request);
    metric_count_frequent(is_put ? METRIC_PUTS : METRIC_GETS, 1);
    metric_count_frequent(is_put ? METRIC_PUT_BYTES : METRIC_GET_BYTES, bytes);
    if (t->is_mapped)
        error = copy_mapped(origin, t, bytes, is_put);
    else if (t->by_message)
        return copy_remote(origin, t, bytes, is_put, request);
    else
        error = copy_by_kernel(origin, t, bytes, is_put);
    return error ? error : win_finish(request);
}

int put_get_any(const struct user_buffer *origin, int rank, MPI_Aint disp, MPI_Count count,
                struct datatype *type, struct win *win, bool is_put, struct request **request)
{
    struct target t;
    int error = target_find(win, rank, disp, count, type, &t);

    if (error)
        return error;
    return is_put ? put_or_get(origin, &t, true, request) : put_or_get(origin, &t, false, request);
}
