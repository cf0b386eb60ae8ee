/* make: making and freeing communicators (MPI-5.0 sections 7.4.2 and 7.4.3).
 *
 * Every maker does first, alone, all that may fail (memory, copy callbacks), then agrees with the other
 * members (comm/make/agree.h), then opens. So a communicator comes to be on all its processes or on none: where
 * one fails, it returns its own error and the others one that names it.
 *
 * What a new communicator gets from its parent: the error handler, always; the attributes, when it is a dup;
 * never the hints, the name or the buffer. Its context comes from its rank 0.
 *
 * Intercommunicators are made of intercommunicators in the same way: all processes of both groups agree over
 * comm_whole(). How two groups first meet is in comm/make/intercomm.h.
 *
 * Threads: as for all collectives, one at a time per communicator; MPI_Comm_create_group with different tags
 * may run at once.
 */
#ifndef COMM_MAKE_MAKE_H
#define COMM_MAKE_MAKE_H

#include "comm/make/agree.h"

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
int comm_disconnect(struct comm *comm);
int comm_set_info(struct comm *comm, struct info *info);

/* For the makers. */

/* The tag of the next exchange on PLANE_COLL; every rank of comm, an intracommunicator, takes it. */
int make_next_tag(struct comm *comm);
/* The program's tag as one that no collective has on PLANE_COLL. */
int make_program_tag(int tag);

/* A communicator as its members make it, not open yet: error handler of the parent, hints of info, which
 * `call` was given. */
int make_prepare(struct comm *parent, struct group *group, struct info *info, const char *call,
                 struct comm **comm);
int make_prepare_inter(struct comm *parent, struct group *group, struct group *remote, bool is_first,
                       struct info *info, const char *call, struct comm **comm);
/* The same backwards: runs delete callbacks on what attributes it has. */
void make_discard(struct comm *comm);

/* Who makes: `count` ranks of parent, this one at position `me` (and so its rank in the new communicator, or,
 * if that is an intercommunicator, in its whole). */
struct members {
    struct comm *parent; /* an intracommunicator */
    int tag;
    int count, me;
    const int *process; /* by position; NULL: position and rank in parent are the same */
};

/* All processes of both groups, or of the one. */
struct members make_everybody(struct comm *comm);

/* What a peer hears of an error: the program's own codes mean nothing there. */
int make_error_for_peers(int error);

/* Fills in an agreement of these members on `comm`, which is NULL where `error` kept this one from making
 * its part. */
void make_agreement(struct agreement *a, const struct members *members, const struct comm *comm, int error);
/* After it: opens comm on agreement, else discards it. Returns error, or why else there is none. */
int make_finish(const struct agreement *a, struct comm *comm, int error);
/* All three steps, blocking; *newcomm only on success. */
int make(const struct members *members, struct comm *comm, int error, struct comm **newcomm);

#endif
