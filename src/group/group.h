/* group: an ordered set of processes (MPI-5.0 section 7.3). Immutable once made; shared by reference.
 *
 * A process is a process number: its rank in this job's MPI_COMM_WORLD (processes of other jobs will get
 * numbers behind these when they connect). The predefined MPI_GROUP_EMPTY has size 0.
 */
#ifndef GROUP_GROUP_H
#define GROUP_GROUP_H

#include "object/object.h"

struct group {
    struct object object;
    int size;
    int rank;     /* of this process, MPI_UNDEFINED when not a member */
    int *process; /* process[rank]: process number; owned */
};

extern struct pool group_pool;
extern struct group group_empty;
extern int group_me; /* this process's number; set once by world_init */

void group_init(void); /* registers MPI_GROUP_EMPTY */
/* Takes a copy of process[0..size-1]. Size 0 gives a reference to group_empty. */
int group_new(int size, const int *process, struct group **group);
void group_ref(struct group *group);
void group_unref(struct group *group);

/* Rank of a process number, MPI_UNDEFINED if it is not a member. */
int group_rank_of(const struct group *group, int process);

int group_union(const struct group *a, const struct group *b, struct group **group);
int group_intersection(const struct group *a, const struct group *b, struct group **group);
int group_difference(const struct group *a, const struct group *b, struct group **group);
int group_include(const struct group *from, int count, const int *ranks, struct group **group);
int group_exclude(const struct group *from, int count, const int *ranks, struct group **group);
int group_range_include(const struct group *from, int count, int ranges[][3], struct group **group);
int group_range_exclude(const struct group *from, int count, int ranges[][3], struct group **group);
int group_compare(const struct group *a, const struct group *b); /* MPI_IDENT, MPI_SIMILAR, MPI_UNEQUAL */
int group_translate(const struct group *from, int count, const int *ranks, const struct group *to,
                    int *result);

#endif
