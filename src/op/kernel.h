/* kernel: the loops of the predefined reductions, one for each operation and representation of a value. */
#ifndef OP_KERNEL_H
#define OP_KERNEL_H

#include "datatype/datatype.h"
#include "op/op.h"

/* inout[i] = in[i] op inout[i] for n values; the buffers do not overlap. */
typedef void op_kernel(const void *in, void *inout, MPI_Count n);

/* By operation and representation; NULL where the operation has no meaning. */
typedef op_kernel *const op_kernel_table[OP_PREDEFINED_COUNT][REP_COUNT];

/* The same loops for several instruction sets. kernel.c is compiled once for each; see CMakeLists.txt. */
extern op_kernel_table op_kernels_plain;
#ifdef INKLING_WIDE_KERNELS
extern op_kernel_table op_kernels_avx2, op_kernels_avx512;
#endif

#endif
