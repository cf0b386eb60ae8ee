/* Body of MPI_Alloc_mem (MPI-5.0 section 9.2). */
#ifndef API_MEMORY_H
#define API_MEMORY_H

#include "info/info.h"

#include <mpi.h>

/* *(void **)block is set. */
int api_alloc_mem(MPI_Aint size, struct info *info, void *block);

#endif
