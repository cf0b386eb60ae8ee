/* alloc_mem: body of MPI_Alloc_mem (MPI-5.0 section 9.2). */
#ifndef RUNTIME_ALLOC_MEM_H
#define RUNTIME_ALLOC_MEM_H

#include "info/info.h"

#include <mpi.h>

/* *(void **)block is set. */
int runtime_alloc_mem(MPI_Aint size, struct info *info, void *block);

#endif
