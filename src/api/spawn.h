/* spawn: bodies of MPI_Comm_spawn and MPI_Comm_spawn_multiple, whose arguments count at the root alone. */
#ifndef API_SPAWN_H
#define API_SPAWN_H

#include "comm/comm.h"

int api_comm_spawn(const char *command, char *argv[], int maxprocs, MPI_Info info, int root,
                   struct comm *comm, struct comm **newcomm, int codes[]);
int api_comm_spawn_multiple(int count, char *commands[], char **argvs[], const int maxprocs[],
                            const MPI_Info infos[], int root, struct comm *comm, struct comm **newcomm,
                            int codes[]);
int api_comm_get_parent(struct comm **parent);

#endif
