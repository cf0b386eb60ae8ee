#include "win/put_get.h"

#include "base/copy.h"
#include "base/fail.h"
#include "win/agent.h"
#include "win/epoch.h"

#include <stdlib.h>

int win_finish(struct request **request)
{
    if (request)
        *request = request_done_send();
    return MPI_SUCCESS;
}

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

/* Puts what the origin has to memory of the host that this process does not map. */
static int put_copied(const void *origin, struct datatype *type, const struct target *t, size_t bytes)
{
    const struct device *device = datatype_device(type, origin, hint_buffer_kinds(&t->win->hints));
    void *packed;
    int error;

    if (type->dense && !device)
        return target_copy_to(t, 0, origin, bytes);
    packed = malloc(bytes + 1);
    if (!packed)
        return fail(MPI_ERR_NO_MEM, "no memory to pack %zu bytes", bytes);
    error = datatype_pack_from(device, type, origin, 0, packed, bytes);
    if (!error)
        error = target_copy_to(t, 0, packed, bytes);
    free(packed);
    return error;
}

static int get_copied(void *origin, struct datatype *type, const struct target *t, size_t bytes)
{
    const struct device *device = datatype_device(type, origin, hint_buffer_kinds(&t->win->hints));
    void *packed;
    int error;

    if (type->dense && !device)
        return target_copy_from(t, 0, origin, bytes);
    packed = malloc(bytes + 1);
    if (!packed)
        return fail(MPI_ERR_NO_MEM, "no memory to pack %zu bytes", bytes);
    error = target_copy_from(t, 0, packed, bytes);
    if (!error)
        error = datatype_unpack_to(device, type, origin, 0, packed, bytes);
    free(packed);
    return error;
}

static bool is_plain(const struct win *win, const struct datatype *a, const struct datatype *b)
{
    return a->dense && b->dense && !kind_set_has_device(hint_buffer_kinds(&win->hints));
}

int win_put(const void *origin, MPI_Count origin_count, struct datatype *origin_type, int rank, MPI_Aint disp,
            MPI_Count target_count, struct datatype *target_type, struct win *win, struct request **request)
{
    struct target t;
    size_t bytes;
    int error = target_find(win, rank, disp, target_count, target_type, &t);

    if (!error && request)
        error = epoch_check_request(win, rank);
    if (error || rank == MPI_PROC_NULL)
        return error ? error : win_finish(request);
    error = check_bytes(origin_type, origin_count, target_type, target_count, &bytes);
    if (!error)
        error = datatype_check_receive(target_type, target_count);
    if (error || !bytes)
        return error ? error : win_finish(request);
    if (t.at && is_plain(win, origin_type, target_type))
        copy_bytes(t.at, origin, bytes);
    else if (t.at)
        error = datatype_copy_kinds(origin, origin_count, origin_type, t.at, target_count, target_type,
                                    hint_buffer_kinds(&win->hints));
    else if (win->agent)
        return agent_put(&t, origin, origin_count, origin_type, bytes, request);
    else
        error = put_copied(origin, origin_type, &t, bytes);
    return error ? error : win_finish(request);
}

int win_get(void *origin, MPI_Count origin_count, struct datatype *origin_type, int rank, MPI_Aint disp,
            MPI_Count target_count, struct datatype *target_type, struct win *win, struct request **request)
{
    struct target t;
    size_t bytes;
    int error = target_find(win, rank, disp, target_count, target_type, &t);

    if (!error && request)
        error = epoch_check_request(win, rank);
    if (error || rank == MPI_PROC_NULL)
        return error ? error : win_finish(request);
    error = check_bytes(target_type, target_count, origin_type, origin_count, &bytes);
    if (!error)
        error = datatype_check_receive(origin_type, origin_count);
    if (error || !bytes)
        return error ? error : win_finish(request);
    if (t.at && is_plain(win, origin_type, target_type))
        copy_bytes(origin, t.at, bytes);
    else if (t.at)
        error = datatype_copy_kinds(t.at, target_count, target_type, origin, origin_count, origin_type,
                                    hint_buffer_kinds(&win->hints));
    else if (win->agent)
        return agent_get(&t, origin, origin_count, origin_type, bytes, request);
    else
        error = get_copied(origin, origin_type, &t, bytes);
    return error ? error : win_finish(request);
}
