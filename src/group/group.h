/* group: an ordered set of processes (MPI-5.0 section 7.3). Immutable once made, but for group_keep; shared by reference.
 *
 * A process number is a process's rank in this job's MPI_COMM_WORLD. Processes of other jobs get the numbers
 * after these when they connect (net/card.h). The predefined MPI_GROUP_EMPTY has size 0; every other group
 * has members.
 *
 * The time to find the rank of a process hardly depends on the size of the group. A group whose process
 * numbers are equally spaced (the world, its halves, every n-th rank) computes the rank. Any other group
 * searches an index, which the first search builds.
 *
 * Handles: the constructors below hand the group to the program (object_hand_out); group_new does not.
 */
#ifndef GROUP_GROUP_H
#define GROUP_GROUP_H

#include "session/session.h"
#include <mpi.h>

struct group_place {
    int process, rank;
};

struct group {
    struct object object;
    int size;
    int rank;                            /* of this process, MPI_UNDEFINED when not a member */
    int *process;                        /* process[rank]: process number; owned */
    struct session *session;             /* the session that it was derived from, referenced; NULL: the World
                                          * Model */
    bool has_guests;                     /* some members belong to other jobs */
    int stride;                          /* process[i] == process[0] + i * stride for all i; 0: not so */
    _Atomic(struct group_place *) order; /* cache: members sorted by process; NULL: not built yet; owned */
};

extern struct pool group_pool;
/* The live group of a handle, or NULL. Any value is safe. */
static inline struct group *group_find(MPI_Group handle)
{
    return (struct group *)object_find(&group_pool, handle, 0x108, 8);
}
extern struct group group_empty;
/* Set once by world_init: this process's number, and the number from which processes belong to other jobs. */
extern int group_me, group_job_size;

void group_init(void); /* registers MPI_GROUP_EMPTY; idempotent */
/* Copies process[0..size-1], whose elements are distinct. Size 0 gives a reference to group_empty. A NULL
 * session is the World Model. */
int group_new_in(struct session *session, int size, const int *process, struct group **group);
int group_new(int size, const int *process, struct group **group);
/* Leaves these processes, at least one, in a group that nobody else has a reference to. It takes no memory. */
void group_keep(struct group *group, int count, const int *process);
void group_ref(struct group *group);
void group_unref(struct group *group);

/* The rank of a process number; MPI_UNDEFINED if it is not a member. */
int group_rank_of(const struct group *group, int process);

int group_union(struct group *a, struct group *b, struct group **group);
int group_intersection(struct group *a, struct group *b, struct group **group);
int group_difference(struct group *a, struct group *b, struct group **group);
int group_include(struct group *from, int count, const int *ranks, struct group **group);
int group_exclude(struct group *from, int count, const int *ranks, struct group **group);
int group_range_include(struct group *from, int count, int ranges[][3], struct group **group);
int group_range_exclude(struct group *from, int count, int ranges[][3], struct group **group);
int group_compare(const struct group *a, const struct group *b); /* MPI_IDENT, MPI_SIMILAR, MPI_UNEQUAL */
int group_translate(const struct group *from, int count, const int *ranks, const struct group *to,
                    int *result);

/* Gives the program a handle of this group, and takes one back. */
void group_hand_out(struct group *group);
int group_free(struct group *group);

/* Bodies of MPI_Group_X. */
int group_get_size(const struct group *group, int *size);
int group_get_rank(const struct group *group, int *rank);
int group_get_comparison(const struct group *a, const struct group *b, int *result);

#endif
