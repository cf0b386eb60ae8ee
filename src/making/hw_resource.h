/* hw_resource: the parts of this host that the process is confined to, for MPI_Comm_split_type. */
#ifndef MAKING_HW_RESOURCE_H
#define MAKING_HW_RESOURCE_H

#include "info/info.h"

#include <stdint.h>

enum {
    HW_RESOURCE_LEVELS = 7
};

/* The levels from coarse to fine, as values of the info key mpi_hw_resource_type. The first is the host, for
 * which the standard reserves "mpi_shared_memory"; the others are hwloc's: "hwloc://Package" ... */
extern const char *const hw_resource_level[HW_RESOURCE_LEVELS];

/* The number, unique among hosts, of the one instance of this level that the process may run on; -1: it may
 * run on several, or the host has none. */
int64_t hw_resource_place(int level);
/* The level of this name; -1: there is none. */
int hw_resource_find(const char *name);

/* Body of MPI_Get_hw_resource_info: for each of hwloc's levels that the host has, whether hw_resource_place
 * gives an instance. */
int hw_resource_get_info(struct info **info);

#endif
