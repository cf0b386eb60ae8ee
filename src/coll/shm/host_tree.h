/* host_tree: the mailboxes of a tree of ranks of one host (tree_shape.h), for steps of schedules (sched/lines.h).
 *
 * A rank has one mailbox of a few lines, and maps only those of its children and its parent, its *neighbours*. A call takes two lines of
 * each: one up, which a neighbour reads, and one down, which all neighbours may read. So a line has one writer, and a rank polls no more
 * lines than it has neighbours. Before it sleeps it also looks at what a neighbour has *told*, in case that has called something else.
 * A call is over on this rank when it has read what it reads; calls may end in another order than they began.
 *
 * Threads: host_tree_begin is for the collective call that takes the tree; all else for one thread at a time: the caller of a blocking
 * collective, or the runner of the schedules. So the blocking and the nonblocking calls of a communicator have a tree each, and so does each
 * persistent request: it may be started in any order.
 */
#ifndef COLL_SHM_HOST_TREE_H
#define COLL_SHM_HOST_TREE_H

#include "coll/shm/mailbox.h"
#include "coll/shm/tree_shape.h"

enum {
    HOST_TREE_MOST = 2048, /* bytes of one line's data */
    LINE_FAILED = 0xffff,  /* a tag: the rank has failed ... */
    LINE_LEFT = 0xfffe     /* ... for a loss */
};

/* Of a call. */
enum tree_line {
    LINE_UP,
    LINE_DOWN
};

struct host_tree {
    struct link
        link; /* owner of this and `is_over`: host_tree_making.c; among those of persistent requests */
    _Atomic bool is_over; /* its request is gone; release, pairs with the acquire in host_tree_making.c */
    struct mailboxes
        *boxes; /* owned; the neighbours': the children in the order of their turns, this rank, its parent */
    const struct tree_edge *edge; /* of all ranks of the tree; owner: the communicator's trees */
    const struct tree_span *span; /* likewise */
    const int *member;            /* the neighbours' ranks in the tree; likewise */
    int size, rank;               /* ranks of the tree, this one */
    uint64_t ended;               /* calls behind the last one before which all have ended: bits */
};

static inline int host_tree_children(const struct host_tree *t)
{
    return t->boxes->rank;
}

/* Begins a call: its number. */
static inline uint64_t host_tree_begin(struct host_tree *t)
{
    return t->boxes->sequence += 2;
}

static inline uint64_t host_tree_sequence(uint64_t call, enum tree_line line)
{
    return call - (line == LINE_UP);
}

/* The neighbour on the way to a rank; this rank's own index: it is there. */
int host_tree_toward(const struct host_tree *t, int rank);

/* Memory for a line's data. NULL: not yet. */
unsigned char *host_tree_reserve(struct host_tree *t, uint64_t call, enum tree_line line, size_t bytes);
/* Publishes them, and wakes this neighbour; -1: all of them. */
void host_tree_publish(struct host_tree *t, uint64_t call, enum tree_line line, const unsigned char *data,
                       size_t bytes, uint32_t tag, int reader);
/* Whether a neighbour's line is there, or never will be. */
bool host_tree_has(struct host_tree *t, uint64_t call, enum tree_line line, int neighbour);
/* Tells the neighbours which call this rank is in, if it waits for one of them: it may be in another one, and wait as well. */
void host_tree_tell(struct host_tree *t, uint64_t call, uint32_t tag);
/* Whether a neighbour whose line is not there is in another call, and so will never publish it; that neighbour is woken then, and *error
 * says so. This rank has told. */
bool host_tree_differs(struct host_tree *t, uint64_t call, enum tree_line line, int neighbour, uint32_t tag,
                       int *error);
/* The data of a line that is there. NULL: it is not of such a call; *error says why. */
const unsigned char *host_tree_data(struct host_tree *t, uint64_t call, enum tree_line line, int neighbour,
                                    uint32_t tag, size_t bytes, int *error);
/* This rank reads no more lines of the call. */
void host_tree_end(struct host_tree *t, uint64_t call);

#endif
