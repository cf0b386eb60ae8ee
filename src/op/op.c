#include "op/op.h"

#include "op/kernel.h"
#include "plain/fail.h"

#include <limits.h>
#include <stdint.h>
#include <string.h>

struct pool op_pool = POOL_INIT(OBJECT_OP, struct op);
struct op op_predefined[OP_PREDEFINED_COUNT];

enum {
    INTEGERS = CATEGORY_C_INTEGER | CATEGORY_FORTRAN_INTEGER | CATEGORY_MULTI_LANGUAGE | CATEGORY_CHAR,
    TRUTHS = CATEGORY_C_INTEGER | CATEGORY_LOGICAL | CATEGORY_MULTI_LANGUAGE | CATEGORY_CHAR
};

/* The table of MPI-5.0 section 6.9.2: which groups of types an operation accepts in a reduction. Two entries
 * are not in the standard: MPI_CHAR, and truth values of multi-language types (docs/TOLERANCES.md). */
static const struct {
    MPI_Op handle;
    const char *name;
    unsigned accepts; /* bits of enum category */
} rows[OP_PREDEFINED_COUNT] = {
    [OP_SUM] = {MPI_SUM, "MPI_SUM", INTEGERS | CATEGORY_FLOATING | CATEGORY_COMPLEX},
    [OP_PROD] = {MPI_PROD, "MPI_PROD", INTEGERS | CATEGORY_FLOATING | CATEGORY_COMPLEX},
    [OP_MIN] = {MPI_MIN, "MPI_MIN", INTEGERS | CATEGORY_FLOATING},
    [OP_MAX] = {MPI_MAX, "MPI_MAX", INTEGERS | CATEGORY_FLOATING},
    [OP_BAND] = {MPI_BAND, "MPI_BAND", INTEGERS | CATEGORY_BYTE},
    [OP_BOR] = {MPI_BOR, "MPI_BOR", INTEGERS | CATEGORY_BYTE},
    [OP_BXOR] = {MPI_BXOR, "MPI_BXOR", INTEGERS | CATEGORY_BYTE},
    [OP_LAND] = {MPI_LAND, "MPI_LAND", TRUTHS},
    [OP_LOR] = {MPI_LOR, "MPI_LOR", TRUTHS},
    [OP_LXOR] = {MPI_LXOR, "MPI_LXOR", TRUTHS},
    [OP_MINLOC] = {MPI_MINLOC, "MPI_MINLOC", CATEGORY_PAIR},
    [OP_MAXLOC] = {MPI_MAXLOC, "MPI_MAXLOC", CATEGORY_PAIR},
    [OP_REPLACE] = {MPI_REPLACE, "MPI_REPLACE", 0},
    [OP_NO_OP] = {MPI_NO_OP, "MPI_NO_OP", 0},
};

static op_kernel_table *kernels = &op_kernels_plain; /* the best for this processor; set by op_init */

static void choose_kernels(void)
{
#ifdef INKLING_WIDE_KERNELS
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
        kernels = &op_kernels_avx512;
    else if (__builtin_cpu_supports("avx2"))
        kernels = &op_kernels_avx2;
#endif
}

void op_init(void)
{
    if (op_predefined[OP_SUM].commutative)
        return;
    choose_kernels();
    for (int i = 0; i < OP_PREDEFINED_COUNT; i++) {
        op_predefined[i].code = (enum op_code)i;
        op_predefined[i].commutative = i != OP_REPLACE && i != OP_NO_OP;
        object_predefine(&op_predefined[i].object, OBJECT_OP, (uintptr_t)rows[i].handle);
    }
}

void op_unref(struct op *op)
{
    if (object_unref(&op->object))
        pool_free(&op_pool, op);
}

int op_create(MPI_User_function *narrow, MPI_User_function_c *large, int commute, struct op **op)
{
    struct op *o;

    if (!narrow && !large)
        return fail(MPI_ERR_ARG, "user_fn is NULL");
    o = pool_new(&op_pool);
    if (!o)
        return fail(MPI_ERR_NO_MEM, "no memory for an operation");
    o->commutative = commute != 0;
    if (narrow) {
        o->code = OP_USER;
        o->function.narrow = narrow;
    } else {
        o->code = OP_USER_LARGE;
        o->function.large = large;
    }
    *op = o;
    return 0;
}

int op_free(struct op *op)
{
    if (op->object.predefined)
        return fail(MPI_ERR_OP, "%s is predefined and cannot be freed", rows[op->code].name);
    object_retire(&op_pool, &op->object);
    op_unref(op);
    return 0;
}

int op_commutative(struct op *op, int *commute)
{
    *commute = op->commutative;
    return 0;
}

int op_check(const struct op *op, const struct datatype *type)
{
    if (op->code >= OP_USER)
        return 0;
    if (op->code == OP_REPLACE || op->code == OP_NO_OP)
        return fail(MPI_ERR_OP, "%s is for one-sided accumulates, not for reductions", rows[op->code].name);
    if (type->category == CATEGORY_NONE && !type->object.predefined)
        return fail(MPI_ERR_OP, "%s works on predefined datatypes only, not on %s", rows[op->code].name,
                    datatype_title(type));
    if (!(rows[op->code].accepts & type->category))
        return fail(MPI_ERR_OP, "%s is not defined for %s (MPI-5.0 section 6.9.2)", rows[op->code].name,
                    datatype_title(type->basic));
    if (!(*kernels)[op->code][type->representation] && type->representation != REP_PAIR)
        return fail(MPI_ERR_OP, "%s does not exist on this platform", type->basic->name);
    return 0;
}

int op_check_accumulate(const struct op *op, const struct datatype *type)
{
    if (type->category == CATEGORY_BYTE && rows[op->code].accepts & CATEGORY_C_INTEGER)
        return MPI_SUCCESS;
    return op_check(op, type);
}

int op_reduce_local(const void *in, void *inout, MPI_Count count, struct datatype *type, struct op *op)
{
    int error = op_check_items(op, count, type);

    if (!error)
        op_apply(op, in, inout, count, type);
    return error;
}

/* Calls a function with an int length, in pieces if the vector is long. */
static void apply_narrow(MPI_User_function *function, const char *in, char *inout, MPI_Count count,
                         struct datatype *type)
{
    uint64_t shown = object_show(&datatype_pool, &type->object);

    while (count > 0) {
        MPI_Datatype handle = (MPI_Datatype)(uintptr_t)shown;
        int n = count < INT_MAX ? (int)count : INT_MAX;

        function((void *)(uintptr_t)in, inout, &n, &handle);
        n = count < INT_MAX ? (int)count : INT_MAX; /* the function may have changed it */
        in += n * type->extent;
        inout += n * type->extent;
        count -= n;
    }
    object_hide(&datatype_pool, &type->object);
}

static void apply_large(MPI_User_function_c *function, const void *in, void *inout, MPI_Count count,
                        struct datatype *type)
{
    MPI_Datatype handle = (MPI_Datatype)(uintptr_t)object_show(&datatype_pool, &type->object);

    if (count > 0)
        function((void *)(uintptr_t)in, inout, &count, &handle);
    object_hide(&datatype_pool, &type->object);
}

void op_apply(const struct op *op, const void *in, void *inout, MPI_Count count, struct datatype *type)
{
    if (count == 0)
        return; /* op_check has not looked */
    switch (op->code) {
    case OP_USER:
        apply_narrow(op->function.narrow, in, inout, count, type);
        break;
    case OP_USER_LARGE:
        apply_large(op->function.large, in, inout, count, type);
        break;
    case OP_REPLACE:
        memcpy(inout, in, (size_t)(count * type->extent));
        break;
    case OP_NO_OP:
        break;
    default:
        if (__builtin_expect(type->representation == REP_PAIR, 0))
            location_apply(op->code == OP_MAXLOC, type, in, inout, count);
        else
            (*kernels)[op->code][type->representation](in, inout, count);
    }
}
