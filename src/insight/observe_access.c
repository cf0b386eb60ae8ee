#include "insight/observe.h"

#include <string.h>

enum {
    REGIONS = 256,
    LARGE = 65536
};

/* Memory of MPI_Alloc_mem and of windows, sorted by address. Owned by call_lock. */
static struct region {
    uintptr_t begin, end;
    uint64_t win; /* 0: MPI_Alloc_mem */
} region[REGIONS];
static int regions;

/* Where a file was last accessed, by its record. */
static int64_t file_end[PROFILE_OBJECTS];

static int find_region(uintptr_t address)
{
    int low = 0, high = regions;

    while (low < high) {
        int middle = (low + high) / 2;

        if (region[middle].begin <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low - 1; /* the last that begins at or before */
}

bool observe_is_heap(const void *address)
{
    int i = find_region((uintptr_t)address);

    return i >= 0 && (uintptr_t)address < region[i].end;
}

static void add_region(void *base, int64_t size, uint64_t win)
{
    int i = find_region((uintptr_t)base) + 1;

    if (!base || size <= 0 ||
        regions == REGIONS) /* without room its buffers count as others, so nothing is promised */
        return;
    memmove(&region[i + 1], &region[i], (size_t)(regions++ - i) * sizeof *region);
    region[i] = (struct region){(uintptr_t)base, (uintptr_t)base + (uintptr_t)size, win};
}

static void remove_region(int i)
{
    memmove(&region[i], &region[i + 1], (size_t)(--regions - i) * sizeof *region);
}

void observe_memory_before(const struct intercept *call)
{
    int i;

    if (call->procedure->family == FAMILY_MEMORY_FREE) {
        i = find_region((uintptr_t)intercept_argument(call, AT_BASE));
        if (i >= 0 && region[i].begin == (uintptr_t)intercept_argument(call, AT_BASE))
            remove_region(i);
    } else if (call->procedure->family == FAMILY_WIN_FREE) {
        uint64_t win = observe_handle(call, AT_WIN);

        for (i = regions - 1; i >= 0; i--)
            if (region[i].win == win)
                remove_region(i);
    }
}

void observe_memory_after(const struct intercept *call)
{
    enum family family = call->procedure->family;

    if ((family != FAMILY_MEMORY_MAKE && family != FAMILY_WIN_MAKE) || !intercept_has(call, AT_BASE_OUT))
        return;
    add_region(*(void **)(intptr_t)intercept_argument(call, AT_BASE_OUT), intercept_argument(call, AT_SIZE),
               family == FAMILY_WIN_MAKE ? *(uint64_t *)(intptr_t)intercept_argument(call, AT_NEW) : 0);
}

void observe_buffer(const struct intercept *call, struct profile_object *object, enum role buffer,
                    enum role type, int64_t bytes)
{
    const void *address = (const void *)(intptr_t)intercept_argument(call, buffer);

    if (address == MPI_IN_PLACE || (intercept_has(call, AT_COUNT) && bytes == 0))
        return;
    if (!address || !intercept_has(call, type) ||
        !observe_type((uint64_t)intercept_argument(call, type))->is_plain) {
        object->unknown_memory++;
    } else if (observe_is_heap(address)) {
        object->heap++;
    } else {
        object->other++;
        if (bytes >= LARGE) {
            object->other_large++;
            object->other_large_bytes += (uint64_t)bytes;
        }
    }
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
