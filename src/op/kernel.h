/* kernel: the loops of the predefined reductions, one for each operation and representation of a value. */
#ifndef OP_KERNEL_H
#define OP_KERNEL_H

#include "datatype/datatype.h"
#include "op/op.h"

/* inout[i] = in[i] op inout[i] for n values; the buffers do not overlap. */
typedef void op_kernel(const void *in, void *inout, MPI_Count n);

/* NULL where the operation has no meaning. */
extern op_kernel *const op_kernels[OP_PREDEFINED_COUNT][REP_COUNT];

#endif
