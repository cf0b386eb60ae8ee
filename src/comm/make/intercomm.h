/* intercomm: where two groups meet in an intercommunicator, and where they part again in an intracommunicator of
 * both (MPI-5.0 section 7.6.2).
 *
 * Each group has a leader, and one communicator, the peer, holds both leaders. The groups meet in three
 * rounds. In each a group agrees on its own (comm/make/agree.h), the leaders tell each other what came of it, and
 * every leader tells its group what it heard: who is well and how many they are; who has room for the other's
 * processes; whether all have made their part. So an error of one process is an error of both groups, and
 * nobody waits for somebody who has given up. One thing stays beyond help: a leader that does not know the
 * other one cannot tell it.
 *
 * The group whose context number is lower is the first.
 */
#ifndef COMM_MAKE_INTERCOMM_H
#define COMM_MAKE_INTERCOMM_H

#include "comm/comm.h"

struct bridge {
    struct comm *local; /* an intracommunicator of this process's group */
    int leader;         /* the leader's rank in it, the same on all its ranks */
    /* The next three count at the leader alone. */
    struct comm *peer; /* NULL: unknown */
    int remote_leader; /* the other leader's rank in peer */
    int tag; /* sets messages on peer apart from those of other such calls; as make_program_tag gives it */
};

/* Collective over both groups. `error`: this process has failed already and takes part to tell. The info is
 * offered to the new communicator's hints by `call`; it takes the error handler of the local communicator. */
int intercomm_create(const struct bridge *bridge, int error, struct info *info, const char *call,
                     struct comm **newcomm);

/* Body of MPI_Intercomm_merge. */
int intercomm_merge(struct comm *comm, int high, struct comm **newcomm);

/* Bodies of MPI_Intercomm_create and MPI_Intercomm_create_from_groups, of which some handles count at the local leader
 * alone. */
int intercomm_create_of_handles(struct comm *local, int local_leader, MPI_Comm peer, int remote_leader,
                                int tag, struct comm **newcomm);
int intercomm_create_from_group_handles(struct group *local, int local_leader, MPI_Group remote,
                                        int remote_leader, const char *stringtag, struct info *info,
                                        struct errhandler *errhandler, struct comm **newcomm);

#endif
