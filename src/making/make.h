/* make: making and freeing communicators (MPI-5.0 sections 7.4.2 and 7.4.3).
 *
 * Every maker first does locally what may fail (memory, copy callbacks), then agrees with the other members
 * (making/agree.h), then opens. So a communicator is made on all its processes or on none. If one fails,
 * it returns its own error, and the others return one that names it.
 *
 * A new communicator takes its parent's error handler; a dup takes the attributes too. It never takes the
 * hints, the name or the buffer. Its rank 0 assigns its context.
 *
 * Intercommunicators are made from intercommunicators in the same way: all processes of both groups agree
 * over comm_whole(). making/intercomm.h joins two groups.
 *
 * Threads: as for all collectives, one at a time per communicator. Calls of MPI_Comm_create_group with
 * different tags may run at once.
 */
#ifndef MAKING_MAKE_H
#define MAKING_MAKE_H

#include "making/agree.h"

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

#endif
