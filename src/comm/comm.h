/* comm: a communicator as data (MPI-5.0 chapter 7). Making one needs collectives: making/make.h.
 *
 * Context. Messages of a communicator carry its 64-bit context. Its rank 0 (of the first group for an
 * intercommunicator) assigns it from its own counter: the high 32 bits are that process's number + 1; the low
 * 32 bits count up in steps of two and are never reused. An intercommunicator, and what is made from it, may
 * have processes of several jobs, each of which numbers its own. So their contexts are *wide*: even random
 * numbers of more than 60 bits, which no two processes assign. Every context has two planes, point-to-point
 * and collective; a field of the message tells them apart.
 *
 * Intercommunicators. One of the two groups is the first, the same on all processes. The library's own
 * messages among all processes of both groups (agreement on a new communicator, collectives) use `whole`: an
 * intracommunicator of the first group's processes followed by the second's, whose context is the
 * intercommunicator's plus one. It has no handle, so the program never sees it.
 *
 * Peers. process[rank] is the process number of a rank; src/net turns it into a connection.
 *
 * Threads: fields are constant after creation unless their comment says otherwise.
 */
#ifndef COMM_COMM_H
#define COMM_COMM_H

#include "group/group.h"
#include "hint/hint.h"
#include "info/info.h"
#include "metric/metric.h"
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
    const int *process;        /* process numbers of the group that ranks refer to: the remote one if inter */
    struct group *group;       /* local group, referenced */
    struct group *remote;      /* remote group, referenced; NULL for an intracommunicator */
    struct comm *whole;        /* of both groups, owned; NULL for an intracommunicator */
    struct topology *topology; /* referenced; NULL: none; constant once the program has the handle */
    struct hints hints;        /* changed by set_info only; read anywhere */
    struct session *session;   /* that it was derived from, referenced; NULL: the World Model */
    int lane;   /* the lane of p2p that its messages use (p2p/lane.h), the same on all its processes */
    int spread; /* its point-to-point messages are spread over so many lanes by tag; 0 or 1: they are not */
    bool
        outlives_members; /* receives of MPI_ANY_SOURCE go on when a member is lost; set before its first use */
    _Atomic bool is_ordered; /* they are not spread any more; changed under the locks of all its lanes */
    _Atomic bool has_own_errhandler;                 /* set by set_errhandler; relaxed: orders nothing */
    struct match *match[NET_LANES];                  /* owner: p2p, each made on first use */
    void (*_Atomic match_free)(struct match *match); /* set with the first match, in any lane */
    struct bsend_buffer *buffer; /* owner: p2p; plain memory, freed with the communicator */
    struct host_groups *hosts;   /* owner: coll; likewise */
    int host_count;              /* owner: coll; of its ranks; 0: not counted yet */
    struct shm_coll *shm_coll;   /* owner: coll, made on first use, unless ... */
    bool lacks_shm_coll;         /* ... it is known that there is none */
    _Atomic bool
        is_left; /* owner: p2p/lost.c; a rank has left one of its collectives for a loss; relaxed: as lost_any */
    void (*shm_coll_free)(
        struct shm_coll *shm_coll); /* set with shm_coll; called when the last reference goes */
    struct host_trees *host_trees;  /* owner: coll, made on first use; NULL: not yet */
    void (*host_trees_free)(struct host_trees *host_trees); /* likewise */
    void (*shm_coll_retire)(struct shm_coll *shm_coll);     /* likewise; called when it is revoked */
    struct request *done; /* owner: coll; the request of its nonblocking collectives that complete at once;
                           * NULL: none yet */
    int acknowledged; /* owner: p2p/mitigate.c; so many failures in comm, in the order of their detection */
    int *
        revoked; /* owner: p2p/mitigate.c; the process numbers that p2p finds once it is revoked, owned; NULL: it is not */
    void *agreements;                           /* owner: making/survive.c; NULL: not used yet */
    void (*agreements_free)(struct comm *comm); /* set with it */
    _Atomic int ordered_requests;  /* owner: coll; number of requests that rely on one order of starts */
    struct comm *next_in_table;    /* owner: comm's context table */
    struct errhandler *errhandler; /* changed by set_errhandler; referenced */
    struct attribute_set attributes;
    uint32_t coll_sequence,
        persistent_sequence; /* numbers of the next collectives, see coll/sched/schedule.h; only
                                                    the (serialised) collectives change them */
    _Atomic uint64_t word[METRIC_COMM_WORDS]; /* metric/metric.h: written under the lane that it takes; from
                                                 METRIC_WORDS on */
    char name[MPI_MAX_OBJECT_NAME];           /* changed by set_name */
};

extern struct pool comm_pool;
/* The communicator of a handle; NULL: no live one has it. Any value is safe. */
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

/* The intracommunicator of all processes of c, for the library's own messages. */
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
/* Leaves these processes of its group, and of the remote one where it has one, in a communicator that is not open and whose groups nobody
 * else has. It takes no memory. */
void comm_keep(struct comm *c, int count, const int *process);
void comm_keep_both(struct comm *c, int count, const int *process, int remote_count, const int *remote);
/* comm_new in static memory (world, self). */
int comm_setup(struct comm *c, uint64_t context, struct group *group);
/* comm_new for two groups, which are disjoint, with context 0. */
int comm_new_inter(struct group *group, struct group *remote, bool is_first, struct comm **comm);
/* Sets its model: this session, or NULL for the World Model. Call it before hints are offered. A new
 * communicator has the model of its group. */
void comm_set_session(struct comm *c, struct session *session);
/* Enters a communicator that was made with context 0 into the context table. It cannot fail: makers first do
 * what may fail, agree with the other processes, and then open. */
void comm_open(struct comm *c, uint64_t context);
/* Takes it out of the table again: messages do not find it. */
void comm_close(struct comm *c);
void comm_free_parts(struct comm *c); /* the last reference is gone */
static inline void comm_ref(struct comm *c)
{
    object_ref(&c->object);
}
static inline void comm_unref(struct comm *c)
{
    if (object_unref(&c->object))
        comm_free_parts(c);
}

/* Calls `look` for every open communicator that has a handle; `look` makes and frees none. */
void comm_each(void (*look)(struct comm *c));

/* A context that this process has never assigned, for a child of a communicator with context `parent`. */
uint64_t comm_next_context(uint64_t parent);
/* A new wide context. */
uint64_t comm_wide_context(void);
/* A wide context from two numbers, the same in both processes that know them. */
uint64_t comm_context_of(uint64_t one, uint64_t other);
/* The communicator of this context on this process; NULL: there is none (yet). */
struct comm *comm_find_context(uint64_t context);

/* Counts for the program's eyes (src/metric). The caller holds a lane of c; those of a spread one are several. */
static inline void comm_count(struct comm *c, enum metric m, uint64_t n)
{
    _Atomic uint64_t *word = &c->word[m - METRIC_WORDS];

    if (__builtin_expect(c->spread > 1, 0))
        metric_add_shared(word, n);
    else
        metric_add(word, n);
}

/* Its handle, as callbacks get it. */
static inline MPI_Comm comm_handle(const struct comm *c)
{
    return (MPI_Comm)(uintptr_t)object_handle(&c->object);
}

/* Bodies of MPI_Comm_X. */
int comm_compare(const struct comm *a, const struct comm *b); /* MPI_IDENT, _CONGRUENT, _SIMILAR, _UNEQUAL */
void comm_rename(struct comm *c, const char *name);
int comm_get_name(struct comm *c, char *name, int *length); /* name holds MPI_MAX_OBJECT_NAME characters */
int comm_set_errhandler(struct comm *c, struct errhandler *e);
int comm_get_errhandler(struct comm *c, struct errhandler **e);
int comm_get_group(struct comm *c, struct group **group);
int comm_get_remote_group(struct comm *c, struct group **group);

/* Attributes, the predefined ones (MPI_TAG_UB ...) included; for these *value is the address of an int that
 * always stays valid. */
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

#endif
