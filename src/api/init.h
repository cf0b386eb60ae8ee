/* Bodies of MPI_Init, MPI_Init_thread, MPI_Initialized, MPI_Finalized, MPI_Query_thread, MPI_Is_thread_main
 * and MPI_Abort (MPI-5.0 sections 11.2 and 11.4): MPI_Finalize is world_fini. Arguments have been checked for
 * NULL. */
#ifndef API_INIT_H
#define API_INIT_H

#include "comm/comm.h"

int api_init(int *argc, char ***argv);
int api_init_thread(int *argc, char ***argv, int required, int *provided);
int api_initialized(int *flag);
int api_finalized(int *flag);
int api_query_thread(int *provided);
int api_is_thread_main(int *flag);
int api_abort(struct comm *comm, int code);

#endif
