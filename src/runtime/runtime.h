/* runtime: bodies of MPI_Init, MPI_Init_thread, MPI_Initialized, MPI_Finalized, MPI_Query_thread,
 * MPI_Is_thread_main and MPI_Abort (MPI-5.0 sections 11.2 and 11.4). MPI_Finalize is world_fini. Arguments
 * were checked for NULL. */
#ifndef RUNTIME_RUNTIME_H
#define RUNTIME_RUNTIME_H

#include "comm/comm.h"
#include "info/info.h"
#include "request/request.h"
#include "session/session.h"

#include <mpi.h>
#include <stdbool.h>

int runtime_init(int *argc, char ***argv);
int runtime_init_thread(int *argc, char ***argv, int required, int *provided);
int runtime_initialized(int *flag);
int runtime_finalized(int *flag);
int runtime_query_thread(int *provided);
int runtime_is_thread_main(int *flag);
int runtime_abort(struct comm *comm, int code);
/* Before the job is ended: tells mpiexec what it is to report of hints, and what was counted. */
void runtime_report(void);

/* Body of MPI_Alloc_mem (MPI-5.0 section 9.2). */

/* Sets *(void **)block. */
int runtime_alloc_mem(MPI_Aint size, struct info *info, void *block);

/* Bodies of procedures that need only this process (MPI-5.0 sections 9.1, 9.6, 5.1.5 and 15.2).
 */

int environment_get_version(int *version, int *subversion);
int environment_get_library_version(char *version, int *length);
int environment_get_processor_name(char *name, int *length);
double environment_wtime(void);
double environment_wtick(void);
int environment_get_address(const void *location, MPI_Aint *address);
MPI_Aint environment_aint_add(MPI_Aint base, MPI_Aint disp);
MPI_Aint environment_aint_diff(MPI_Aint left, MPI_Aint right);
int environment_pcontrol(int level);

/* Opening and closing sessions (MPI-5.0 section 11.3). session/session.h has a session as data,
 * making/session_psets.c its process sets. */

/* Bodies of MPI_Session_init and MPI_Session_finalize. A NULL info offers nothing. */
int runtime_open_session(struct info *info, struct errhandler *errhandler, struct session **session);
int runtime_close_session(struct session *session);

/* world: the World Model: MPI_Init and MPI_Finalize (MPI-5.0 section 11.2).
 *
 * The World Model exists from world_init to world_fini. Between them the predefined handles MPI_COMM_WORLD
 * and MPI_COMM_SELF are registered. Outside, a look-up finds neither: so every other entry point notices that
 * it was called too early or too late.
 */

enum world_state {
    WORLD_BEFORE,
    WORLD_OPEN,
    WORLD_AFTER
};

/* The state of the World Model; thread-safe. */
enum world_state world_state(void);

/* required, *provided: MPI_THREAD_*. */
int world_init(int required, int *provided);
int world_fini(void);
int world_thread_level(void);
int world_is_main_thread(void);

/* stats: what this process has counted, told to mpiexec at the end of MPI, if --stats asks for it (INKLING_STATS).
 *
 * A line is numbers with blanks between them: nanoseconds since MPI started, and the words of the process
 * (metric/metric.h), in their order.
 */

/* MPI starts; again after it has ended. One thread is in MPI. */
void stats_begin(void);
/* MPI ends, or the job does. */
void stats_report(void);

#endif
