/* spawn_arguments: bodies of MPI_Comm_spawn and MPI_Comm_spawn_multiple, most of whose arguments are
 * significant at the root only. */
#ifndef DYNAMIC_SPAWN_ARGUMENTS_H
#define DYNAMIC_SPAWN_ARGUMENTS_H

#include "comm/comm.h"

int spawn_take_command(const char *command, char *argv[], int maxprocs, MPI_Info info, int root,
                       struct comm *comm, struct comm **newcomm, int codes[]);
int spawn_take_commands(int count, char *commands[], char **argvs[], const int maxprocs[],
                        const MPI_Info infos[], int root, struct comm *comm, struct comm **newcomm,
                        int codes[]);

#endif
