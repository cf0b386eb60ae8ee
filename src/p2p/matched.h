/* matched: a message that MPI_Mprobe has taken from the queue (MPI-5.0 section 3.8.2), behind the handle MPI_Message. */
#ifndef P2P_MATCHED_H
#define P2P_MATCHED_H

#include "object/object.h"

#include <mpi.h>

struct matched;

extern struct pool matched_pool;

/* The matched message of a handle; NULL: of none that is alive. Any value is safe. */
static inline struct matched *matched_find(MPI_Message handle)
{
    return (struct matched *)object_find(&matched_pool, handle, 0x128, 8);
}

#endif
