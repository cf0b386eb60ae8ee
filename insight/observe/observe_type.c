#include "insight/call/type_signature.h"
#include "insight/observe/observe.h"

enum {
    PREDEFINED = 0x200, /* where the standard's ABI has the handles of datatypes */
    PREDEFINED_END = 0x300,
    TYPES = 2048 /* derived datatypes that can be told apart */
};

static struct observed_type predefined[PREDEFINED_END - PREDEFINED];
/* Derived ones, by handle; a free slot has handle 0, one that was freed keeps it and has size -1. Owned by
 * call_lock. */
static struct type_slot {
    uint64_t handle;
    struct observed_type type;
} types[TYPES];

static struct observed_type ask_type(MPI_Datatype type)
{
    MPI_Count size = 0, low = 0, extent = 0;

    real.Type_size_c(type, &size);
    real.Type_get_true_extent_c(type, &low, &extent);
    return (struct observed_type){size, true, low == 0 && extent == size};
}

static struct type_slot *find_slot(uint64_t handle)
{
    size_t at = (size_t)((handle * 0x9e3779b97f4a7c15u) >> 53);

    for (int i = 0; i < TYPES; i++, at = (at + 1) % TYPES)
        if (types[at].handle == handle || !types[at].handle)
            return &types[at];
    return NULL;
}

static const struct observed_type *find_predefined(uint64_t handle)
{
    struct observed_type *type = &predefined[handle - PREDEFINED];

    for (const struct constant_name *row = constant_names; row->name && !type->is_known; row++)
        if (row->value == handle && (MPI_Datatype)(uintptr_t)handle != MPI_DATATYPE_NULL)
            *type = ask_type((MPI_Datatype)(uintptr_t)handle);
    return type;
}

const struct observed_type *observe_type(uint64_t handle)
{
    static const struct observed_type unknown;
    struct type_slot *slot;

    if (handle >= PREDEFINED && handle < PREDEFINED_END)
        return find_predefined(handle);
    slot = handle ? find_slot(handle) : NULL;
    return slot && slot->handle && slot->type.size >= 0 ? &slot->type : &unknown;
}

void observe_type_after(const struct intercept *call)
{
    enum family family = call->procedure->family;
    struct type_slot *slot;
    uint64_t handle;

    if (family == FAMILY_TYPE_FREE)
        handle = call->seen.request;
    else if (family == FAMILY_TYPE_MAKE)
        handle = *(uint64_t *)(intptr_t)intercept_argument(call, AT_NEW);
    else
        return;
    slot = handle ? find_slot(handle) : NULL;
    if (!slot || (family == FAMILY_TYPE_FREE && !slot->handle))
        return;
    slot->handle = handle;
    slot->type = (struct observed_type){.size = -1};
    if (family == FAMILY_TYPE_MAKE)
        slot->type = ask_type((MPI_Datatype)(uintptr_t)handle);
}
