#include "insight/memory/memory_use.h"
#include "insight/observe/observe.h"

#include <string.h>

enum {
    LARGE = 65536
};

/* Where a file was last accessed, by its record. */
static int64_t file_end[PROFILE_OBJECTS];

bool observe_room(const struct intercept *call, struct profile_object *object, enum role buffer,
                  enum role type, int64_t bytes)
{
    const void *address = (const void *)(intptr_t)intercept_argument(call, buffer);

    if (address == MPI_IN_PLACE || (intercept_has(call, AT_COUNT) && bytes == 0))
        return false;
    if (!address || !intercept_has(call, type) ||
        !observe_type((uint64_t)intercept_argument(call, type))->is_plain) {
        object->unknown_memory++;
        return false;
    }
    if (mpi_memory_at((uintptr_t)address) != MEMORY_NOT_OF_MPI) {
        object->heap++;
        return false;
    }
    object->other++;
    return true;
}

void observe_large(struct profile_object *object, int64_t bytes)
{
    if (bytes < LARGE)
        return;
    object->other_large++;
    object->other_large_bytes += (uint64_t)bytes;
}

void observe_buffer(const struct intercept *call, struct profile_object *object, enum role buffer,
                    enum role type, int64_t bytes)
{
    if (observe_room(call, object, buffer, type, bytes))
        observe_large(object, bytes);
}

static bool is_named_with(const struct intercept *call, const char *word)
{
    return strstr(call->procedure->name, word) != NULL;
}

/* A sum of other types depends on the order. */
static bool is_integer_type(MPI_Datatype type)
{
    static const MPI_Datatype integers[] = {
        MPI_INT,      MPI_LONG,    MPI_LONG_LONG, MPI_UNSIGNED, MPI_UNSIGNED_LONG, MPI_INT8_T,
        MPI_INT16_T,  MPI_INT32_T, MPI_INT64_T,   MPI_UINT8_T,  MPI_UINT16_T,      MPI_UINT32_T,
        MPI_UINT64_T, MPI_INTEGER, MPI_SHORT,     MPI_AINT,     MPI_COUNT,         MPI_OFFSET};

    for (size_t i = 0; i < sizeof integers / sizeof *integers; i++)
        if (type == integers[i])
            return true;
    return false;
}

static void count_rma(struct intercept *call, struct profile_object *object)
{
    MPI_Op op = (MPI_Op)(intptr_t)intercept_argument(call, AT_OP);
    bool is_accumulate = is_named_with(call, "ccumulate") || is_named_with(call, "_and_");

    call->seen.bytes = observe_bytes(call, AT_COUNT, AT_TYPE);
    if (call->seen.bytes < 0)
        call->seen.bytes = 0;
    if (!is_accumulate) {
        *(is_named_with(call, "ut") ? &object->puts : &object->gets) += 1;
        return;
    }
    object->accumulates++;
    object->fetches += is_named_with(call, "_and_") || is_named_with(call, "et_accumulate");
    object->op_mask |=
        is_named_with(call, "Compare") ? (uint64_t)1 << 63 : (uint64_t)1 << ((uintptr_t)op & 31);
    object->not_integer += !is_integer_type((MPI_Datatype)(intptr_t)intercept_argument(call, AT_TYPE));
}

static void count_file(struct intercept *call, struct profile_object *object)
{
    bool is_read = is_named_with(call, "read"), is_write = is_named_with(call, "write");
    int64_t bytes = observe_bytes(call, AT_COUNT, AT_TYPE), offset, *end = &file_end[observe_index(object)];

    if ((!is_read && !is_write) || is_named_with(call, "_end"))
        return;
    if (bytes < 0)
        bytes = 0;
    call->seen.bytes = bytes;
    *(is_read ? &object->reads : &object->writes) += 1;
    *(is_read ? &object->read_bytes : &object->write_bytes) += (uint64_t)bytes;
    if (!intercept_has(call, AT_OFFSET)) { /* a file pointer goes forward */
        object->in_order += !is_named_with(call, "shared") && !is_named_with(call, "ordered");
        object->elsewhere += is_named_with(call, "shared") || is_named_with(call, "ordered");
        return;
    }
    offset = intercept_argument(call, AT_OFFSET);
    *(offset == *end ? &object->in_order : offset < *end ? &object->backwards : &object->elsewhere) += 1;
    *end = offset + bytes; /* in units of the view, if these are bytes: else accesses count as elsewhere */
}

void observe_access_before(struct intercept *call)
{
    struct profile_object *object;

    if (!intercept_has(call, AT_WIN) && !intercept_has(call, AT_FILE))
        return;
    object = observe_object_of(call);
    if (!object)
        return;
    if (intercept_has(call, AT_FILE)) {
        if (is_named_with(call, "seek"))
            object->elsewhere++;
        count_file(call, object);
        return;
    }
    switch (call->procedure->family) {
    case FAMILY_WIN_LOCK:
        object->locks++;
        break;
    case FAMILY_RMA:
    case FAMILY_RMA_REQUEST:
        count_rma(call, object);
        break;
    default:
        break;
    }
}
