/* location: MPI_MINLOC and MPI_MAXLOC of the pairs that have no name (datatype/value_index.c). The others have kernels (kernel.h). */
#ifndef OP_LOCATION_H
#define OP_LOCATION_H

#include "op/op.h"

/* inout[i] = in[i] op inout[i] for n pairs; the buffers do not overlap. */
void location_apply(bool is_max, const struct datatype *pair, const void *in, void *inout, MPI_Count n);

#endif
