/* intercomm: joins two groups in an intercommunicator, and merges the groups of one in an intracommunicator
 * (MPI-5.0 section 7.6.2).
 *
 * Each group has a leader, and one communicator, the peer, has both leaders. There are three rounds. In each
 * a group agrees among its members (making/agree.c), the leaders exchange the results, and each leader
 * broadcasts to its group what it received: whether all can take part and how many they are; whether all have
 * memory for the other group's processes and can reach them; whether all have made their part. So an error of
 * one process is an error of both groups, and no process waits for one that has given up. One case remains:
 * a leader that does not know the other leader cannot report to it.
 *
 * The group with the lower context number is the first.
 */
#ifndef MAKING_INTERCOMM_H
#define MAKING_INTERCOMM_H

#include "comm/comm.h"

struct bridge {
    struct comm *local; /* an intracommunicator of this process's group */
    int leader;         /* the leader's rank in it, the same on all its ranks */
    /* The next three are significant at the leader only. */
    struct comm *peer; /* NULL: unknown */
    int remote_leader; /* the other leader's rank in peer */
    int tag; /* separates these messages on peer from those of other such calls; made by make_program_tag */
};

/* Collective over both groups. `error`: this process has failed already and takes part only to report it.
 * `call` offers the info to the new communicator's hints. The new communicator takes the error handler of the
 * local one. */
int intercomm_create(const struct bridge *bridge, int error, struct info *info, const char *call,
                     struct comm **newcomm);

/* Body of MPI_Intercomm_merge. */
int intercomm_merge(struct comm *comm, int high, struct comm **newcomm);

/* Bodies of MPI_Intercomm_create and MPI_Intercomm_create_from_groups; peer and remote are significant at the
 * local leader only. */
int intercomm_create_of_handles(struct comm *local, int local_leader, MPI_Comm peer, int remote_leader,
                                int tag, struct comm **newcomm);
int intercomm_create_from_group_handles(struct group *local, int local_leader, MPI_Group remote,
                                        int remote_leader, const char *stringtag, struct info *info,
                                        struct errhandler *errhandler, struct comm **newcomm);

#endif
