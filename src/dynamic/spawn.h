/* spawn: MPI_Comm_spawn, MPI_Comm_spawn_multiple and MPI_Comm_get_parent (MPI-5.0 section 11.8).
 *
 * The root opens a port, has the processes started (boot/spawn_order.h) with the port's name in their
 * environment, and waits at the port as in MPI_Comm_accept. The children connect to it in MPI_Init, as in
 * MPI_Comm_connect. While the root waits it also looks at the control socket of the new job: children that
 * end before they have connected are an error on all parents, not an endless wait.
 *
 * The root keeps the control socket (dynamic/child_job.h), so that the children do not outlive a root that dies.
 *
 * Where the key host, or the parents' job, puts children on other hosts, a launcher starts them
 * (boot/spawn_order.h). It may lose some of them without notice, so the root waits for these children no
 * longer than inkling_connect_timeout.
 *
 * Info keys of the standard: soft, host, wdir, path, arch, file, appnum, mpi_initial_errhandler and
 * mpi_memory_alloc_kinds are mpiexec's options of these names. env, variables as NAME=VALUE, one a line, is
 * mpiexec's -x. A value that cannot be used is an error of class MPI_ERR_SPAWN, except for
 * mpi_memory_alloc_kinds, which is a hint.
 */
#ifndef DYNAMIC_SPAWN_H
#define DYNAMIC_SPAWN_H

#include "comm/comm.h"

/* One command; significant at the root only. */
struct spawn_command {
    const char *command;
    char *const *argv; /* NULL: no arguments */
    int maxprocs;
    struct info *info;
};

/* Collective over comm. error: of this rank's arguments, passed on to all. command, count: significant at the
 * root only. call: the procedure's name.
 * codes: one for each requested process, also filled in after errors of class MPI_ERR_SPAWN; NULL: not
 * wanted. */
int spawn_comm(const struct spawn_command *command, int count, int root, struct comm *comm, int error,
               const char *call, struct comm **newcomm, int *codes);

/* In MPI_Init: connects to the parents, if there are any. Collective over MPI_COMM_WORLD. */
int spawn_meet_parents(void);
/* Body of MPI_Comm_get_parent. NULL: there are none, or the program has freed the communicator. */
int spawn_get_parent(struct comm **found);

/* Bodies of MPI_Comm_spawn and MPI_Comm_spawn_multiple, most of whose arguments are
 * significant at the root only. */

int spawn_take_command(const char *command, char *argv[], int maxprocs, MPI_Info info, int root,
                       struct comm *comm, struct comm **newcomm, int codes[]);
int spawn_take_commands(int count, char *commands[], char **argvs[], const int maxprocs[],
                        const MPI_Info infos[], int root, struct comm *comm, struct comm **newcomm,
                        int codes[]);

#endif
