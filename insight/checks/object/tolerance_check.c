#include "insight/checks/object/object_check.h"

#include "insight/call/tracked.h"
#include "insight/findings/finding.h"
#include "insight/objects/type_check.h"
#include "insight/objects/win_record.h"

#include <insight/checks.h>
#include <string.h>
#include <strings.h>

static void tolerance_say(struct intercept *call, const char *what, const char *fix)
{
    finding_add(&(struct finding_about){.class = FINDING_TOLERANCE, .call = call, .fix = fix}, "%s: %s",
                call->procedure->name, what);
}

static bool is_logical(MPI_Op op)
{
    return op == MPI_LAND || op == MPI_LOR || op == MPI_LXOR;
}

static bool is_arithmetic(MPI_Op op)
{
    return op == MPI_SUM || op == MPI_PROD || op == MPI_MAX || op == MPI_MIN || op == MPI_BAND ||
           op == MPI_BOR || op == MPI_BXOR;
}

static bool is_derived(MPI_Datatype type)
{
    MPI_Count integers, addresses, counts, types;
    int combiner = MPI_COMBINER_NAMED;

    return real.Type_get_envelope_c(type, &integers, &addresses, &counts, &types, &combiner) == MPI_SUCCESS &&
           combiner != MPI_COMBINER_NAMED && combiner != MPI_COMBINER_DUP;
}

static bool is_bitwise(MPI_Op op)
{
    return op == MPI_BAND || op == MPI_BOR || op == MPI_BXOR;
}

/* Whether the operation is surely not for the datatype. */
static bool is_unsuitable(MPI_Op op, MPI_Datatype type)
{
    bool is_floating = type == MPI_FLOAT || type == MPI_DOUBLE || type == MPI_LONG_DOUBLE;

    if (op == MPI_REPLACE || op == MPI_NO_OP)
        return true;
    if (!is_logical(op) && !is_arithmetic(op))
        return false;
    if (type == MPI_BYTE)
        return !is_bitwise(op);
    return is_floating ? is_logical(op) || is_bitwise(op) : is_derived(type);
}

/* Rows "characters", "truth values" and "operations of nothing". */
static void look_at_operation(struct intercept *call)
{
    MPI_Op op = (MPI_Op)(intptr_t)intercept_argument(call, AT_OP);
    MPI_Datatype type = (MPI_Datatype)(intptr_t)intercept_argument(call, AT_TYPE);

    if (type == MPI_CHAR && (is_logical(op) || is_arithmetic(op)))
        tolerance_say(call, "MPI_CHAR is in no group of types that the operation takes",
                      "use MPI_SIGNED_CHAR or MPI_UNSIGNED_CHAR");
    else if ((type == MPI_AINT || type == MPI_OFFSET || type == MPI_COUNT) && is_logical(op))
        tolerance_say(call, "logical operations are for C integers and logicals",
                      "reduce an int or a C bool");
    else if (intercept_has(call, AT_COUNT) && intercept_argument(call, AT_COUNT) == 0 &&
             is_unsuitable(op, type))
        tolerance_say(call, "the operation is not for the datatype of its 0 items",
                      "give an operation that is for the datatype");
}

/* Rows "sums of bytes" and "operations of nothing". */
static void look_at_accumulate(struct intercept *call)
{
    MPI_Op op = (MPI_Op)(intptr_t)intercept_argument(call, AT_OP);
    MPI_Datatype type = (MPI_Datatype)(intptr_t)intercept_argument(
        call, intercept_has(call, AT_TARGET_TYPE) ? AT_TARGET_TYPE : AT_TYPE);

    if (intercept_has(call, AT_TARGET_COUNT) && intercept_argument(call, AT_TARGET_COUNT) == 0) {
        if (op != MPI_REPLACE && op != MPI_NO_OP && !is_derived(type) && is_unsuitable(op, type))
            tolerance_say(call, "the operation is not for the datatype of its 0 items",
                          "give an operation that is for the datatype");
    } else if ((is_logical(op) || is_arithmetic(op)) && !is_bitwise(op) &&
               type_check_signature(type, 1).basic == type_check_signature(MPI_BYTE, 1).basic) {
        tolerance_say(call, "only bitwise operations are for MPI_BYTE",
                      "use MPI_UNSIGNED_CHAR or MPI_UINT8_T");
    }
}

/* Row "no items". */
static void look_at_type(struct intercept *call)
{
    if (intercept_has(call, AT_COUNT) && intercept_argument(call, AT_COUNT) == 0 &&
        intercept_argument(call, AT_TYPE) == (intptr_t)MPI_DATATYPE_NULL)
        tolerance_say(call, "the datatype of no items is MPI_DATATYPE_NULL", "give any committed datatype");
}

static void say_received_twice(struct intercept *call)
{
    tolerance_say(call, "entries of the datatype have bytes in common, so that one is written over another",
                  "receive into a datatype whose entries lie apart");
}

/* Row "received twice". */
static inline void look_at_received(struct intercept *call, enum role count, enum role type)
{
    if (intercept_has(call, count) &&
        type_check_meets_itself((MPI_Datatype)(intptr_t)intercept_argument(call, type),
                                intercept_argument(call, count)))
        say_received_twice(call);
}

static bool is_file_read(const struct intercept *call)
{
    return strncmp(call->procedure->name, "MPI_File_read", strlen("MPI_File_read")) == 0 ||
           strncmp(call->procedure->name, "MPI_File_iread", strlen("MPI_File_iread")) == 0;
}

/* Row "process sets". */
void tolerance_check_set(struct intercept *call)
{
    static const char *const sets[] = {"mpi://WORLD", "mpi://SELF"};
    bool names_set = call->procedure == &procedures[PROCEDURE_Group_from_session_pset] ||
                     call->procedure == &procedures[PROCEDURE_Session_get_pset_info];
    const char *name = names_set ? (const char *)(intptr_t)call->argument[1] : NULL;

    for (int i = 0; name && i < 2; i++)
        if (strcasecmp(name, sets[i]) == 0 && strcmp(name, sets[i]) != 0)
            tolerance_say(call, "the names of process sets are spelled mpi://WORLD and mpi://SELF",
                          "spell it so");
}

/* Row "short arrays". */
void tolerance_check_grid(struct intercept *call)
{
    MPI_Comm comm = (MPI_Comm)(intptr_t)call->argument[0];
    int dimensions, topology;

    if (real.Topo_test(comm, &topology) == MPI_SUCCESS && topology == MPI_CART &&
        real.Cartdim_get(comm, &dimensions) == MPI_SUCCESS && call->argument[1] < dimensions)
        tolerance_say(call, "the arrays are shorter than the grid has dimensions",
                      "give them as many elements as MPI_Cartdim_get says");
}

/* All sends and receives of one buffer begin with it, its count and its datatype. */
void tolerance_check_sent(struct intercept *call)
{
    if (call->argument[1] == 0)
        look_at_type(call);
}

void tolerance_check_received(struct intercept *call)
{
    if (type_check_meets_itself((MPI_Datatype)(intptr_t)call->argument[2], call->argument[1]))
        say_received_twice(call);
    tolerance_check_sent(call);
}

void tolerance_check_sendrecv(struct intercept *call)
{
    look_at_received(call, AT_COUNT2, AT_TYPE2);
}

void tolerance_check_file(struct intercept *call)
{
    if (is_file_read(call))
        look_at_received(call, AT_COUNT, AT_TYPE);
}

void tolerance_check_collective(struct intercept *call)
{
    if (intercept_has(call, AT_OP))
        look_at_operation(call);
}

void tolerance_check_access(struct intercept *call)
{
    if (intercept_has(call, AT_OP))
        look_at_accumulate(call);
}

void tolerance_check_memory(struct intercept *call)
{
    if (!call->argument[0])
        tolerance_say(call, "NULL is not of MPI_Alloc_mem", "free only what MPI_Alloc_mem gave");
}

/* Keys of communicators, datatypes and windows may have the same numbers. */
static uint64_t number_key(const struct intercept *call, int keyval)
{
    char kind =
        call->procedure->name[strlen("MPI_")]; /* MPI_Type_..., MPI_Win_...; others are of communicators */

    return (uint64_t)(kind == 'T' || kind == 'W' ? kind : 'C') << 32 | (uint32_t)keyval;
}

/* Row "freed keys". */
static void look_at_key(struct intercept *call, int keyval)
{
    uint64_t key = number_key(call, keyval);

    if (tracked_find(TRACKED_FREED_KEYVAL, key))
        tolerance_say(call, "the key has been freed", "free a key when nothing will use it any more");
    if (call->procedure->family == FAMILY_KEYVAL_FREE)
        tracked_add(TRACKED_FREED_KEYVAL, key, sizeof(struct tracked), NULL);
}

/* Row "memory fences". */
static void look_at_fence(struct intercept *call)
{
    const struct win_record *w = win_check_find((MPI_Win)(intptr_t)intercept_argument(call, AT_WIN));

    if (w && w->locks == 0)
        tolerance_say(call, "no lock is held on the window", "lock the window, if only by MPI_Win_lock_all");
}

void tolerance_check_after(struct intercept *call)
{
    switch (call->procedure->family) {
    case FAMILY_KEYVAL_MAKE: /* numbers are used again */
        tracked_remove(TRACKED_FREED_KEYVAL,
                       number_key(call, *(int *)(intptr_t)intercept_argument(call, AT_KEYVAL)));
        break;
    case FAMILY_KEYVAL_FREE:
        look_at_key(call, (int)call->saved[0]);
        break;
    case FAMILY_ATTR_SET:
        look_at_key(call, (int)intercept_argument(call, AT_KEYVAL));
        break;
    case FAMILY_WIN_SYNC:
        look_at_fence(call);
        break;
    default:
        break;
    }
}
