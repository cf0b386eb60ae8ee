/* comm: a communicator as data (MPI-5.0 chapter 7). Making one needs collectives: that is src/world.
 *
 * Context. Messages of a communicator carry its 64-bit context, which its rank 0 (of the first group
 * for an intercommunicator) assigns from its own counter: the high 32 bits are that process's number + 1, the
 * low 32 bits count up in steps of two and are never used again. Processes of several jobs may come together
 * in an intercommunicator and in what is made of it; so its context, and theirs, are *wide*: even random
 * numbers of more than 60 bits, which no two processes give out. Every context has two planes, told apart by
 * a flag of the message: point-to-point and collective.
 *
 * Intercommunicators. One of the two groups is the first, the same on all processes. What the library itself
 * says to all processes of both (agreeing on a new communicator, collectives) goes over `whole`: an
 * intracommunicator of the first group's processes followed by the second's, with the odd context next to
 * the intercommunicator's. The program never sees it: it has no handle.
 *
 * Peers. process[rank] gives the process number of a rank; src/net turns it into a connection. comm_process()
 * is the one place that maps.
 *
 * Threads: fields are constant after creation unless their comment says otherwise.
 */
#ifndef COMM_COMM_H
#define COMM_COMM_H

#include "group/group.h"
#include "hint/hint.h"
#include "info/info.h"
#include "net/net.h"
#include "object/attribute.h"
#include "object/errhandler.h"

#include <mpi.h>

struct topology;
struct match; /* p2p's matching state of this communicator in a lane */

struct comm {
    struct object object;
    uint64_t context;
    int rank, size;            /* in the local group */
    const int *process;        /* process numbers of the group that ranks refer to: remote if inter */
    struct group *group;       /* local group, referenced */
    struct group *remote;      /* remote group, referenced; NULL for an intracommunicator */
    struct comm *whole;        /* both groups, owned; NULL for an intracommunicator */
    struct topology *topology; /* referenced; NULL: none; constant once the program has the handle */
    struct hints hints;        /* changed by set_info only; read anywhere */
    struct session *session;   /* that it was derived from, referenced; NULL: the World Model */
    int lane;                /* of p2p that its messages take (p2p/lane.h), the same on all its processes, */
    int spread;              /* or so many, by tag; 0 or 1: none but that one */
    _Atomic bool is_ordered; /* what is spread: not any more; changed under the locks of all its lanes */
    struct match *match[NET_LANES];                  /* owner: p2p, each made on first use */
    void (*_Atomic match_free)(struct match *match); /* set with the first match, in any lane */
    struct buffer *buffer;     /* owner: p2p; plain memory, freed with the communicator */
    struct host_groups *hosts; /* owner: coll; likewise */
    struct shm_coll *shm_coll; /* owner: coll, made on first use */
    void (*shm_coll_free)(
        struct shm_coll *shm_coll); /* set with shm_coll; called when the last reference goes */
    struct request *done; /* owner: coll; its nonblocking ones that are complete at once; NULL: none yet */
    _Atomic int ordered_requests;  /* owner: coll; that rely on one order of starts */
    struct comm *next_in_table;    /* owner: comm's context table */
    struct errhandler *errhandler; /* changed by set_errhandler; referenced */
    struct attribute_set attributes;
    uint32_t coll_sequence,
        persistent_sequence;        /* numbers of the next collectives, see coll/sched/schedule.h; only
                                                    the (serialised) collectives change them */
    char name[MPI_MAX_OBJECT_NAME]; /* changed by set_name */
};

extern struct pool comm_pool;
/* The comm of a handle; NULL: of none that is alive. Any value is safe. */
static inline struct comm *comm_find(MPI_Comm handle)
{
    return (struct comm *)object_find(&comm_pool, handle, 0x100, 8);
}
extern struct comm comm_world, comm_self; /* predefined handles exist between init and finalize */

static inline bool comm_is_inter(const struct comm *c)
{
    return c->remote != 0;
}

/* How many processes a rank argument of a send on c may name: the remote size if inter. */
static inline int comm_peer_count(const struct comm *c)
{
    return c->remote ? c->remote->size : c->size;
}

/* The intracommunicator of all processes of c, for what the library says to them. */
static inline struct comm *comm_whole(struct comm *c)
{
    return c->whole ? c->whole : c;
}

/* In an intercommunicator: whether the local group is the first; ranks of either group as ranks in whole. */
static inline bool comm_is_first(const struct comm *c)
{
    return c->whole->rank == c->rank;
}
static inline int comm_whole_local(const struct comm *c, int rank)
{
    return comm_is_first(c) ? rank : c->remote->size + rank;
}
static inline int comm_whole_remote(const struct comm *c, int rank)
{
    return comm_is_first(c) ? c->size + rank : rank;
}

/* An intracommunicator of this group with default hints and MPI_ERRORS_ARE_FATAL, in the context table unless
 * context is 0. Takes references. */
int comm_new(uint64_t context, struct group *group, struct comm **comm);
/* The same for static memory (world, self). */
int comm_setup(struct comm *c, uint64_t context, struct group *group);
/* The same for two groups, which are disjoint, with context 0. */
int comm_new_inter(struct group *group, struct group *remote, bool is_first, struct comm **comm);
/* Its model is this session, NULL: the World Model; before hints are offered. A new communicator has the
 * model of its group. */
void comm_set_session(struct comm *c, struct session *session);
/* Enters a communicator that was made with context 0 into the table. Cannot fail: makers do first what may
 * fail, agree with the other processes, and then open. */
void comm_open(struct comm *c, uint64_t context);
void comm_free_parts(struct comm *c); /* of whom the last reference went */
static inline void comm_ref(struct comm *c)
{
    object_ref(&c->object);
}
static inline void comm_unref(struct comm *c)
{
    if (object_unref(&c->object))
        comm_free_parts(c);
}

/* Looks at every open communicator that has a handle; `look` neither makes nor frees one. */
void comm_each(void (*look)(struct comm *c));

/* A context that this process has never given out, for a child of a communicator with this one. */
uint64_t comm_next_context(uint64_t parent);
/* A wide one. */
uint64_t comm_wide_context(void);
/* One that two processes, who know both numbers, have in common. */
uint64_t comm_context_of(uint64_t one, uint64_t other);
/* The communicator of this context on this process, NULL if there is none (yet). */
struct comm *comm_find_context(uint64_t context);

/* Its handle, as callbacks get it. */
static inline MPI_Comm comm_handle(const struct comm *c)
{
    return (MPI_Comm)(uintptr_t)object_handle(&c->object);
}

/* Bodies of MPI_Comm_X. */
int comm_compare(const struct comm *a, const struct comm *b); /* MPI_IDENT, _CONGRUENT, _SIMILAR, _UNEQUAL */
int comm_set_name(struct comm *c, const char *name);
int comm_get_name(struct comm *c, char *name, int *length); /* name holds MPI_MAX_OBJECT_NAME characters */
int comm_set_errhandler(struct comm *c, struct errhandler *e);
int comm_get_errhandler(struct comm *c, struct errhandler **e);
int comm_get_group(struct comm *c, struct group **group);
int comm_get_remote_group(struct comm *c, struct group **group);

/* Attributes, the predefined ones (MPI_TAG_UB ...) included; *value is then the address of an int that stays
 * valid for ever. */
int comm_set_attribute(struct comm *c, int keyval, void *value);
int comm_get_attribute(struct comm *c, int keyval, void **value, int *found);
int comm_delete_attribute(struct comm *c, int keyval);

/* Bodies of MPI_Comm_X. */
int comm_get_size(const struct comm *comm, int *size);
int comm_get_rank(const struct comm *comm, int *rank);
int comm_test_inter(const struct comm *comm, int *flag);
int comm_get_remote_size(const struct comm *comm, int *size);
int comm_get_comparison(const struct comm *a, const struct comm *b, int *result);
int comm_get_name_of_handle(MPI_Comm comm, char *name, int *length);
int comm_get_info(struct comm *comm, struct info **info);

#endif
