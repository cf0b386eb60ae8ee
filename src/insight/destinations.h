/* destinations: whom a rank sends to in a neighborhood collective, by its communicator's topology. */
#ifndef INSIGHT_DESTINATIONS_H
#define INSIGHT_DESTINATIONS_H

#include "insight/intercept.h"

/* A bit for each rank of a communicator of at most 64; false: it has no topology. */
bool destinations_find(MPI_Comm comm, uint64_t *set);

#endif
