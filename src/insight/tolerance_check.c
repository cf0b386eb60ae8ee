#include "insight/tolerance_check.h"

#include "insight/finding.h"
#include "insight/tracked.h"
#include "insight/win_check.h"

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

/* Rows "characters" and "truth values". */
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
}

/* Row "no items". */
static void look_at_type(struct intercept *call)
{
    if (intercept_has(call, AT_COUNT) && intercept_argument(call, AT_COUNT) == 0 &&
        intercept_argument(call, AT_TYPE) == (intptr_t)MPI_DATATYPE_NULL)
        tolerance_say(call, "the datatype of no items is MPI_DATATYPE_NULL", "give any committed datatype");
}

/* Row "process sets". */
static void look_at_set(struct intercept *call)
{
    static const char *const sets[] = {"mpi://WORLD", "mpi://SELF"};
    const char *name = (const char *)(intptr_t)call->argument[1];

    for (int i = 0; name && i < 2; i++)
        if (strcasecmp(name, sets[i]) == 0 && strcmp(name, sets[i]) != 0)
            tolerance_say(call, "the names of process sets are spelled mpi://WORLD and mpi://SELF",
                          "spell it so");
}

/* Row "short arrays". */
static void look_at_grid(struct intercept *call)
{
    MPI_Comm comm = (MPI_Comm)(intptr_t)call->argument[0];
    int dimensions, topology;

    if (real.Topo_test(comm, &topology) == MPI_SUCCESS && topology == MPI_CART &&
        real.Cartdim_get(comm, &dimensions) == MPI_SUCCESS && call->argument[1] < dimensions)
        tolerance_say(call, "the arrays are shorter than the grid has dimensions",
                      "give them as many elements as MPI_Cartdim_get says");
}

static void look_at_others(struct intercept *call)
{
    if (call->procedure == &procedures[PROCEDURE_Group_from_session_pset] ||
        call->procedure == &procedures[PROCEDURE_Session_get_pset_info])
        look_at_set(call);
    else if (call->procedure == &procedures[PROCEDURE_Cart_get])
        look_at_grid(call);
}

void tolerance_check(struct intercept *call)
{
    switch (call->procedure->family) {
    case FAMILY_SEND:
    case FAMILY_RECV:
    case FAMILY_ISEND:
    case FAMILY_IRECV:
    case FAMILY_SEND_INIT:
    case FAMILY_RECV_INIT:
        look_at_type(call);
        break;
    case FAMILY_COLLECTIVE:
    case FAMILY_ICOLLECTIVE:
    case FAMILY_COLLECTIVE_INIT:
        if (intercept_has(call, AT_OP))
            look_at_operation(call);
        break;
    case FAMILY_MEMORY_FREE:
        if (!call->argument[0])
            tolerance_say(call, "NULL is not of MPI_Alloc_mem", "free only what MPI_Alloc_mem gave");
        break;
    case FAMILY_NONE:
    case FAMILY_GROUP_MAKE:
    case FAMILY_INFO_MAKE:
        look_at_others(call);
        break;
    default:
        break;
    }
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
