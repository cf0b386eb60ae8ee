/* connect: connects jobs and parts them (MPI-5.0 sections 11.9 and 11.10): MPI_Comm_accept, MPI_Comm_connect,
 * MPI_Comm_join, MPI_Comm_disconnect.
 *
 * Two processes, the roots, first share a socket: one has opened a port (plain/port.h) and the other knows
 * its name, or the program has made the socket. Over it they make each other peers (dynamic/handshake.h). The
 * rest is what MPI_Intercomm_create does: the roots are leaders, with a communicator of their own whose context
 * follows from the handshake (making/make.h). So an error of one process is an error of both groups
 * here too.
 */
#ifndef DYNAMIC_DYNAMIC_H
#define DYNAMIC_DYNAMIC_H

#include "comm/comm.h"
#include "dynamic/handshake.h"
#include "info/info.h"

#include <stdint.h>

/* Bodies of MPI_Comm_accept and MPI_Comm_connect. port and info (hints; may be NULL) are significant at the
 * root only. error: of this rank's arguments, passed on to all. */
int dynamic_accept(const char *port, struct info *info, int root, struct comm *comm, int error,
                   struct comm **newcomm);
int dynamic_connect(const char *port, struct info *info, int root, struct comm *comm, int error,
                    struct comm **newcomm);
/* *newcomm NULL: the two processes cannot reach each other. */
int dynamic_join(int fd, struct comm **newcomm);
/* Body of MPI_Comm_disconnect. Jobs that were spawned with comm no longer depend on this process. */
int dynamic_disconnect(struct comm *comm);

/* The steps of the first two, for a caller that has other work while it waits. */

/* Collective over comm, an intracommunicator: prepares all its processes, and checks that they name the same
 * root. An error of one rank is an error on all ranks. */
int connect_prepare(struct comm *comm, int root, int error);

/* inkling_connect_timeout. */
uint64_t connect_patience(void);

/* At the root: waits for a caller at its own port, or calls another's port, for so many nanoseconds, 0:
 * without limit. MPI makes progress meanwhile. When the time is over, connect_await sets *met to false, and
 * connect_call returns MPI_ERR_PORT. Where the job survives deaths, both end when a member of comm dies. */
int connect_await(struct comm *comm, const char *port, uint64_t patience_ns, struct partner *partner,
                  bool *met);
int connect_call(struct comm *comm, const char *port, uint64_t patience_ns, struct partner *partner);

/* Collective over comm and the partner's communicator. error: this process has failed already and takes part
 * only to report it. partner is significant at the root only, and NULL there after an error. */
int connect_over(const struct partner *partner, int root, struct comm *comm, int error, struct info *info,
                 const char *call, struct comm **newcomm);

/* Bodies of MPI_Comm_accept and MPI_Comm_connect; port and info are significant at the root only. */
int dynamic_accept_at_root(const char *port, MPI_Info info, int root, struct comm *comm,
                           struct comm **newcomm);
int dynamic_connect_at_root(const char *port, MPI_Info info, int root, struct comm *comm,
                            struct comm **newcomm);

/* spawn: MPI_Comm_spawn, MPI_Comm_spawn_multiple and MPI_Comm_get_parent (MPI-5.0 section 11.8).
 *
 * The root opens a port, has the processes started (boot/spawn_order.h) with the port's name in their
 * environment, and waits at the port as in MPI_Comm_accept. The children connect to it in MPI_Init, as in
 * MPI_Comm_connect. While the root waits it also looks at the control socket of the new job: children that
 * end before they have connected are an error on all parents, not an endless wait.
 *
 * The root keeps the control socket (dynamic/dynamic.h), so that the children do not outlive a root that dies.
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

/* names: MPI_Publish_name, MPI_Unpublish_name and MPI_Lookup_name (MPI-5.0 section 11.9.4), on
 * plain/name_directory.h.
 *
 * The info key inkling_name_scope says who sees a name, and must be the same for one name in all three calls:
 * "user" (default), every process of the user; "job", those of this MPI_COMM_WORLD only.
 */

int names_publish(const char *service, struct info *info, const char *port);
int names_unpublish(const char *service, struct info *info, const char *port);
/* port holds MPI_MAX_PORT_NAME characters. */
int names_lookup(const char *service, struct info *info, char *port);

/* The ports of this process (MPI-5.0 section 11.9.1), with the settings of its user. Builds that count objects count them. */

/* As the functions of plain/port.h. */
int connect_open_port(char *name);
int connect_open_port_here(char *name);
int connect_close_port(const char *name);

/* child_job: the jobs that this process, as the root of a spawn, still holds. Their processes do not outlive it until the
 * intercommunicator with them is disconnected, or MPI_Finalize.
 */

/* First member of what is allocated for a spawn. */
struct child_job {
    struct child_job *next;
    uint64_t context; /* of the intercommunicator */
    int control;      /* the socket to the job's mpiexec */
};

/* Takes ownership. Thread-safe, like the others. */
void disconnect_keep_child(struct child_job *child_job, uint64_t context);
/* The processes that were spawned with the intercommunicator of this context, if any, no longer depend on this one. */
void disconnect_child(uint64_t context);
/* In MPI_Finalize: no spawned process depends on this one any more. */
void disconnect_children(void);

#endif
