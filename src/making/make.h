/* make: making and freeing communicators (MPI-5.0 sections 7.4.2 and 7.4.3).
 *
 * Every maker first does locally what may fail (memory, copy callbacks), then agrees with the other members
 * (making/agree.c), then opens. So a communicator is made on all its processes or on none. If one fails,
 * it returns its own error, and the others return one that names it.
 *
 * A new communicator takes its parent's error handler; a dup takes the attributes too. It never takes the
 * hints, the name or the buffer. Its rank 0 assigns its context.
 *
 * Intercommunicators are made from intercommunicators in the same way: all processes of both groups agree
 * over comm_whole(). intercomm.c joins two groups.
 *
 * Threads: as for all collectives, one at a time per communicator. Calls of MPI_Comm_create_group with
 * different tags may run at once.
 */
#ifndef MAKING_MAKE_H
#define MAKING_MAKE_H

#include "comm/comm.h"
#include "group/group.h"
#include "hint/vote.h"
#include "info/info.h"
#include "request/request.h"

#include <stdint.h>

/* agree: the exchange that making a communicator needs.
 *
 * Some ranks of a communicator, the members, combine their verdicts (struct verdict) up a binomial tree and
 * get the common verdict back down it. It has the new communicator's context; it says whether the hints that
 * must be equal everywhere are equal, and whether every member has made its part. So a communicator is opened
 * on all members or on none.
 *
 * Nothing blocks: start, then poll until true; or call agree, which waits. Messages run on PLANE_COLL of the
 * communicator under the given tag. A member that cannot communicate keeps its error and goes on, so that its
 * peers do not wait for ever.
 */

struct verdict {
    uint64_t context;       /* assigned at position 0; 0 elsewhere */
    struct vote vote;       /* the sum of the members' votes, by position */
    int32_t lanes;          /* number of lanes that the communicator may use: the fewest that a member has */
    int32_t overtaking;     /* whether all members have asserted mpi_assert_allow_overtaking */
    int32_t ordered;        /* whether a request of any member relies on the order of starts; else 0 */
    int32_t unused;         /* 0; verdicts are sent as bytes */
    int32_t error, culprit; /* the error class of a member, 0: none; its rank in the communicator */
};

enum {
    AGREE_CHILDREN = 31
};

struct agreement {
    struct comm *comm; /* the caller keeps it alive */
    int tag;
    int count, me;      /* number of members; this one's position among them */
    const int *process; /* of each position, constant until the end; NULL: position and rank are the same */
    struct verdict verdict; /* before: this member's; after: the common one */

    /* The state of the exchange. */
    enum agree_step {
        AGREE_GATHER,
        AGREE_ASK,
        AGREE_DOWN,
        AGREE_DONE
    } step;
    int error; /* of communication */
    int children, pending;
    struct verdict heard[AGREE_CHILDREN]; /* received from the children, or from the parent in [0] */
    struct request *request[AGREE_CHILDREN + 1];
};

/* The caller has set comm, tag, count, me, process and verdict. */
void agree_start(struct agreement *a);
/* True: it is over, and verdict is the common one, or error says why not. */
bool agree_poll(struct agreement *a);
/* Starts and waits. Returns a->error. */
int agree(struct agreement *a);

/* Bodies of MPI_Comm_X. A NULL info offers nothing; a NULL *newcomm is MPI_COMM_NULL. */
int comm_dup(struct comm *comm, struct comm **newcomm);
int comm_dup_with_info(struct comm *comm, struct info *info, struct comm **newcomm);
int comm_idup(struct comm *comm, struct comm **newcomm, struct request **request);
int comm_idup_with_info(struct comm *comm, struct info *info, struct comm **newcomm,
                        struct request **request);
int comm_split(struct comm *comm, int color, int key, struct comm **newcomm);
int comm_split_type(struct comm *comm, int split_type, int key, struct info *info, struct comm **newcomm);
int comm_create(struct comm *comm, struct group *group, struct comm **newcomm);
int comm_create_group(struct comm *comm, struct group *group, int tag, struct comm **newcomm);
int comm_free(struct comm *comm);
/* Whether the program may free it: an error for a predefined one, and for one that it has freed. */
int comm_check_freeable(const struct comm *comm);
int comm_get_info(struct comm *comm, struct info **info);
int comm_set_info(struct comm *comm, struct info *info);
int comm_set_name(struct comm *comm, const char *name);

/* For the makers. */

/* The tag of the next exchange on PLANE_COLL. Every rank of comm, an intracommunicator, must take it. */
int make_next_tag(struct comm *comm);
/* Maps a tag of the program to one that no collective uses on PLANE_COLL. */
int make_program_tag(int tag);

/* Makes this member's part of a communicator, not open yet, with the error handler of the parent and the
 * hints of info, which `call` was given. */
int make_prepare(struct comm *parent, struct group *group, struct info *info, const char *call,
                 struct comm **comm);
int make_prepare_inter(struct comm *parent, struct group *group, struct group *remote, bool is_first,
                       struct info *info, const char *call, struct comm **comm);
/* Undoes that; runs delete callbacks on its attributes. */
void make_discard(struct comm *comm);

/* The members that make a communicator: `count` ranks of parent, this one at position `me` (which is its rank
 * in the new communicator or, if that is an intercommunicator, in its whole). */
struct members {
    struct comm *parent; /* an intracommunicator */
    int tag;
    int count, me;
    const int *process; /* by position; NULL: position and rank in parent are the same */
};

/* All processes of comm; of both groups if it is an intercommunicator. */
struct members make_everybody(struct comm *comm);

/* The error class to send to a peer: the program's own codes mean nothing there. */
int make_error_for_peers(int error);

/* Fills in an agreement of these members on `comm`. NULL: because of `error` this member has not made its
 * part. */
void make_agreement(struct agreement *a, const struct members *members, const struct comm *comm, int error);
/* After the agreement: opens comm if all agreed, else discards it. Returns `error`, or why it was
 * discarded. */
int make_finish(const struct agreement *a, struct comm *comm, int error);
/* All three steps, blocking; sets *newcomm only on success. */
int make(const struct members *members, struct comm *comm, int error, struct comm **newcomm);

/* agree_hints: agrees on the rows of an object's hints that must be the same on all ranks. For objects that have a
 * communicator of their own: windows, files. */

/* Rows on which the ranks disagree get their defaults. Collective. *most: a number of this rank, which becomes the
 * largest of all ranks in the same exchange; NULL on all ranks: none. */
int agree_hints(struct comm *comm, struct hints *hints, int64_t *most);

/* comm_from_group: communicators without a parent (MPI-5.0 sections 7.4.2 and 7.6.2).
 *
 * The members make a temporary parent for the length of the call (and the leaders of
 * MPI_Intercomm_create_from_groups another). Its context is a hash of the string tag, the members, and how
 * often both have been used together before. All members know these without communication.
 */

/* Bodies of MPI_Comm_create_from_group and MPI_Intercomm_create_from_groups. A NULL info offers nothing; a
 * NULL *newcomm is MPI_COMM_NULL. */
int comm_create_from_group(struct group *group, const char *stringtag, struct info *info,
                           struct errhandler *errhandler, struct comm **newcomm);
/* The remote group is significant at the local leader only; elsewhere it may be NULL. */
int comm_create_inter_from_groups(struct group *local, int local_leader, struct group *remote,
                                  int remote_leader, const char *stringtag, struct info *info,
                                  struct errhandler *errhandler, struct comm **newcomm);

/* split: partitioning a communicator by color. */

/* Colors: 0 and above; or one of these. */
enum {
    SPLIT_NOWHERE = -1, /* this rank gets no communicator */
    SPLIT_REFUSED = -2  /* and below: see split_refusal */
};

/* Collective over comm. *newcomm has the ranks of this color, ordered by key, then by rank in comm. It is
 * NULL for SPLIT_NOWHERE, and where comm is an intercommunicator and one of its groups has nobody of this
 * color. `call` offers the info to the new communicator's hints. */
int split(struct comm *comm, int64_t color, int key, struct info *info, const char *call,
          struct comm **newcomm);

/* The same in two parts, for callers that exchange something before: first the memory, while the rank can still fail alone.
 * split_into consumes it, as split_release does. */
struct ballot;
int split_reserve(struct comm *comm, struct ballot **ballot);
void split_release(struct ballot *ballot);
int split_into(struct ballot *ballot, int64_t color, int key, struct info *info, const char *call,
               struct comm **newcomm);

/* The color of a rank with an invalid argument. It takes part, so that no rank waits for it, and every rank
 * returns this error class. */
int64_t split_refusal(int error);

/* session_psets: the process sets of sessions (MPI-5.0 sections 11.3.2 and 7.3.2): mpi://WORLD, the processes
 * that were started together; mpi://SELF; and those that a PMIx launcher has named (prterun --pset) and that
 * contain this process. */

/* Bodies of MPI_Session_get_num_psets, MPI_Session_get_nth_pset, MPI_Session_get_pset_info and
 * MPI_Group_from_session_pset. */
int session_count_psets(struct session *session, struct info *info, int *count);
int session_get_nth_pset(struct session *session, struct info *info, int n, int *length, char *name);
int session_get_pset_info(struct session *session, const char *name, struct info **info);
int session_group_from_pset(struct session *session, const char *name, struct group **group);

/* Identifies the set of this name in this process: equal on all its members, and different from other sets.
 * -1: there is no set of this name. */
int64_t session_pset_identity(const char *name);

/* hw_resource: the parts of this host that the process is confined to, for MPI_Comm_split_type. */

enum {
    HW_RESOURCE_LEVELS = 7
};

/* The levels from coarse to fine, as values of the info key mpi_hw_resource_type. The first is the host, for
 * which the standard reserves "mpi_shared_memory"; the others are hwloc's: "hwloc://Package" ... */
extern const char *const hw_resource_level[HW_RESOURCE_LEVELS];

/* The number, unique among hosts, of the one instance of this level that the process may run on; -1: it may
 * run on several, or the host has none. */
int64_t hw_resource_place(int level);
/* The level of this name; -1: there is none. */
int hw_resource_find(const char *name);

/* Body of MPI_Get_hw_resource_info: for each of hwloc's levels that the host has, whether hw_resource_place
 * gives an instance. */
int hw_resource_get_info(struct info **info);

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
