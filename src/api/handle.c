#include "api/handle.h"

#include "api/raise.h"
#include "comm/comm.h"
#include "file/file.h"
#include "info/info.h"
#include "op/op.h"
#include "p2p/p2p.h"
#include "plain/fail.h"
#include "win/win.h"

#include <stdio.h>

struct handle_kind {
    struct pool *pool; /* NULL: objects of this kind have no handles */
    uint64_t null;
    int error;
    const char *name;
};

static const struct handle_kind kinds[OBJECT_KIND_COUNT] = {
    [OBJECT_COMM] = {&comm_pool, 0x100, MPI_ERR_COMM, "MPI_Comm"},
    [OBJECT_GROUP] = {&group_pool, 0x108, MPI_ERR_GROUP, "MPI_Group"},
    [OBJECT_DATATYPE] = {&datatype_pool, 0x200, MPI_ERR_TYPE, "MPI_Type"},
    [OBJECT_OP] = {&op_pool, 0x20, MPI_ERR_OP, "MPI_Op"},
    [OBJECT_REQUEST] = {&request_pool, 0x180, MPI_ERR_REQUEST, "MPI_Request"},
    [OBJECT_MESSAGE] = {&matched_pool, 0x128, MPI_ERR_REQUEST, "MPI_Message"},
    [OBJECT_INFO] = {&info_pool, 0x130, MPI_ERR_INFO, "MPI_Info"},
    [OBJECT_ERRHANDLER] = {&errhandler_pool, 0x140, MPI_ERR_ERRHANDLER, "MPI_Errhandler"},
    [OBJECT_SESSION] = {&session_pool, 0x120, MPI_ERR_SESSION, "MPI_Session"},
    [OBJECT_WIN] = {&win_pool, 0x110, MPI_ERR_WIN, "MPI_Win"},
    [OBJECT_FILE] = {&file_pool, 0x118, MPI_ERR_FILE, "MPI_File"},
};

void *handle_find(enum object_kind kind, uint64_t word)
{
    struct object *o;

    if (word >= OBJECT_PREDEFINED_LIMIT)
        return kinds[kind].pool ? pool_find(kinds[kind].pool, word) : NULL;
    o = object_predefined[word];
    return o && o->kind == kind ? o : NULL;
}

uint64_t handle_null(enum object_kind kind)
{
    return kinds[kind].null;
}

/* A constant of this kind, whether or not its object exists yet. */
static bool is_constant(uint64_t word, enum object_kind kind)
{
    uint64_t null = kinds[kind].null;

    if (word >= OBJECT_PREDEFINED_LIMIT)
        return false;
    for (const struct handle_name *n = handle_names; n->name; n++) {
        if (n->value == word)
            return kind == OBJECT_DATATYPE ? word - null < 0x100
                   : kind == OBJECT_OP     ? word - null < 0x20
                                           : word - null < 8;
    }
    return false;
}

static void raise_no_handle(enum object_kind kind, const char *verb, const char *note, uint64_t value)
{
    char call[64];

    snprintf(call, sizeof call, "%s_%s(0x%llx)", kinds[kind].name, verb, (unsigned long long)value);
    raise_error(kind == OBJECT_FILE ? &file_null.object : NULL,
                fail(kinds[kind].error, "0x%llx %s", (unsigned long long)value, note), call);
}

int handle_to_int(uint64_t word, enum object_kind kind)
{
    struct object *o;

    if (is_constant(word, kind))
        return (int)word;
    o = handle_find(kind, word);
    if (!o) {
        raise_no_handle(kind, "toint", "is no such handle, or was freed", word);
        return 0;
    }
    return object_to_int(o);
}

uint64_t handle_from_int(int value, enum object_kind kind)
{
    struct object *o = NULL;

    if (value > 0 && is_constant((uint64_t)value, kind))
        return (uint64_t)value;
    if (kinds[kind].pool)
        o = pool_find_int(kinds[kind].pool, value);
    if (!o) {
        raise_no_handle(kind, "fromint", "did not come from toint, or its object was freed",
                        (uint64_t)(unsigned)value);
        return kinds[kind].null;
    }
    return object_handle(o);
}
