/* world: the World Model: MPI_Init and MPI_Finalize (MPI-5.0 section 11.2).
 *
 * The World Model lives from world_init to world_fini. Between them the predefined handles MPI_COMM_WORLD and
 * MPI_COMM_SELF are registered; outside, looking them up finds nothing, and that is how every other entry
 * point learns that it was called too early or too late.
 */
#ifndef RUNTIME_WORLD_H
#define RUNTIME_WORLD_H

#include "comm/comm.h"
#include "request/request.h"

enum world_state {
    WORLD_BEFORE,
    WORLD_OPEN,
    WORLD_AFTER
};

/* Where the process stands; thread-safe. */
enum world_state world_state(void);

/* required, *provided: MPI_THREAD_*. */
int world_init(int required, int *provided);
int world_fini(void);
int world_thread_level(void);
int world_is_main_thread(void);

#endif
