/* op: reduction operations (MPI-5.0 sections 6.9.2 to 6.9.5). No communication.
 *
 * A predefined operation has a row of kernels, one for each representation of values (enum representation of
 * datatype/datatype.h). The standard's table, by category of type, says which types it accepts. A user's
 * operation is a function with an int or an MPI_Count length.
 *
 * MPI_REPLACE and MPI_NO_OP are for one-sided accumulates: op_apply knows them, op_check refuses them.
 */
#ifndef OP_OP_H
#define OP_OP_H

#include "datatype/datatype.h"
#include "object/object.h"

#include <mpi.h>
#include <stdbool.h>

enum op_code {
    OP_SUM,
    OP_PROD,
    OP_MIN,
    OP_MAX,
    OP_BAND,
    OP_BOR,
    OP_BXOR,
    OP_LAND,
    OP_LOR,
    OP_LXOR,
    OP_MINLOC,
    OP_MAXLOC,
    OP_REPLACE,
    OP_NO_OP,
    OP_PREDEFINED_COUNT,
    OP_USER = OP_PREDEFINED_COUNT, /* function with an int length */
    OP_USER_LARGE                  /* function with an MPI_Count length */
};

/* Constant after creation. */
struct op {
    struct object object;
    enum op_code code;
    bool commutative;
    union {
        MPI_User_function *narrow;
        MPI_User_function_c *large;
    } function;
};

extern struct pool op_pool;
/* The live op of a handle, or NULL. Any value is safe. */
static inline struct op *op_find(MPI_Op handle)
{
    return (struct op *)object_find(&op_pool, handle, 0x20, 0x20);
}
extern struct op op_predefined[OP_PREDEFINED_COUNT];

void op_init(void); /* registers the predefined operations; idempotent */
void op_unref(struct op *op);

/* Bodies of MPI_Op_create and _create_c (one of the functions is NULL), _free, _commutative,
 * MPI_Reduce_local. */
int op_create(MPI_User_function *narrow, MPI_User_function_c *large, int commute, struct op **op);
int op_free(struct op *op);
int op_commutative(struct op *op, int *commute);
int op_reduce_local(const void *in, void *inout, MPI_Count count, struct datatype *type, struct op *op);

/* MPI_ERR_OP when a reduction with this operation is not defined for this type. */
int op_check(const struct op *op, const struct datatype *type);

/* The same for so many items: none suit any operation (docs/TOLERANCES.md). */
static inline int op_check_items(const struct op *op, MPI_Count count, const struct datatype *type)
{
    return count ? op_check(op, type) : MPI_SUCCESS;
}

/* The same for accumulates, which take MPI_BYTE as an unsigned number, too (docs/TOLERANCES.md). */
int op_check_accumulate(const struct op *op, const struct datatype *type);

/* inout[i] = in[i] op inout[i]. op_check has passed, and the buffers do not overlap. */
void op_apply(const struct op *op, const void *in, void *inout, MPI_Count count, struct datatype *type);

/* location: MPI_MINLOC and MPI_MAXLOC of the pairs that have no name (datatype/value_index.c). The others have kernels (kernel.h). */

/* inout[i] = in[i] op inout[i] for n pairs; the buffers do not overlap. */
void location_apply(bool is_max, const struct datatype *pair, const void *in, void *inout, MPI_Count n);

#endif
