/* init: bodies of MPI_Init, MPI_Init_thread, MPI_Initialized, MPI_Finalized, MPI_Query_thread,
 * MPI_Is_thread_main and MPI_Abort (MPI-5.0 sections 11.2 and 11.4). MPI_Finalize is world_fini. Arguments
 * were checked for NULL. */
#ifndef RUNTIME_INIT_H
#define RUNTIME_INIT_H

#include "comm/comm.h"

int runtime_init(int *argc, char ***argv);
int runtime_init_thread(int *argc, char ***argv, int required, int *provided);
int runtime_initialized(int *flag);
int runtime_finalized(int *flag);
int runtime_query_thread(int *provided);
int runtime_is_thread_main(int *flag);
int runtime_abort(struct comm *comm, int code);
/* Before the job is ended: tells mpiexec what it is to report of hints, and what was counted. */
void runtime_report(void);

#endif
