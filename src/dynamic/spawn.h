/* spawn: MPI_Comm_spawn, MPI_Comm_spawn_multiple and MPI_Comm_get_parent (MPI-5.0 section 11.8).
 *
 * The root opens a port, has the processes started (boot/spawn_order.h) with the port's name in their environment,
 * and waits at the port as in MPI_Comm_accept. The children call there in MPI_Init, as in MPI_Comm_connect.
 * While the root waits it also looks at the control to the new job: children that end before they have called
 * are an error on all parents, not a wait without end.
 *
 * The root keeps the control until it disconnects the intercommunicator, or MPI_Finalize, and so the children do
 * not outlive a root that dies.
 *
 * Children of other hosts, where the key host, or the job of the parents, says so, are started by a launcher
 * (boot/spawn_order.h) that may lose some of them without a word, so they are waited for no longer than
 * inkling_connect_timeout.
 *
 * Info keys, of the standard: soft, host, wdir, path, arch, file, appnum, mpi_initial_errhandler and
 * mpi_memory_alloc_kinds are what mpiexec's options of these names are; env, variables as NAME=VALUE, one a
 * line, is its -x. A value that cannot be used is an error of class MPI_ERR_SPAWN, but of
 * mpi_memory_alloc_kinds, a hint.
 */
#ifndef DYNAMIC_SPAWN_H
#define DYNAMIC_SPAWN_H

#include "comm/comm.h"

/* One command; counts at the root alone. */
struct spawn_command {
    const char *command;
    char *const *argv; /* NULL: no arguments */
    int maxprocs;
    struct info *info;
};

/* Collective over comm. error: of this rank's arguments, told to all. command, count: at the root alone.
 * call: its name.
 * codes: one for each process asked for, filled in after errors of class MPI_ERR_SPAWN too; NULL: not wanted.
 */
int spawn_comm(const struct spawn_command *command, int count, int root, struct comm *comm, int error,
               const char *call, struct comm **newcomm, int *codes);

/* In MPI_Init: meets the parents, if there are any. Collective over MPI_COMM_WORLD. */
int spawn_meet_parents(void);
/* NULL: none, or freed. */
struct comm *spawn_parent(void);

/* This communicator is being freed. */
void spawn_forget(const struct comm *comm);
/* This communicator is being disconnected: the processes that were spawned with it go on alone. */
void spawn_part(uint64_t context);
/* In MPI_Finalize: all go on alone. */
void spawn_close(void);

#endif
