/* agree: the one exchange that making a communicator needs.
 *
 * Some ranks of a communicator, its members, combine what they know and can (struct verdict) up a binomial
 * tree and get the common verdict back down it. It tells the new communicator's context, whether the hints
 * that must be the same everywhere are, and whether every member has done its part: a communicator is opened
 * on all members or on none.
 *
 * Nothing blocks: start, then poll until true; or wait. Messages run on PLANE_COLL of the communicator under
 * the given tag. A member that cannot communicate keeps its error and goes on, so that its peers need not
 * wait for ever.
 */
#ifndef COMM_MAKE_AGREE_H
#define COMM_MAKE_AGREE_H

#include "comm/comm.h"
#include "hint/vote.h"
#include "request/request.h"

struct verdict {
    uint64_t context;       /* position 0 gives one; 0 from the others */
    struct vote vote;       /* the sum of the members', by position */
    int32_t lanes;          /* how many the communicator may use: the fewest that a member has */
    int32_t overtaking;     /* whether all of them have asserted mpi_assert_allow_overtaking */
    int32_t ordered;        /* whether a request of any of them relies on the order of starts; else 0 */
    int32_t unused;         /* 0; verdicts are sent as bytes */
    int32_t error, culprit; /* the error class that a member met, 0: none; its rank in the communicator */
};

enum {
    AGREE_CHILDREN = 31
};

struct agreement {
    struct comm *comm; /* the caller keeps it alive */
    int tag;
    int count, me;      /* how many members; this one's position among them */
    const int *process; /* of each position, constant until the end; NULL: position and rank are the same */
    struct verdict verdict; /* before: mine; after: the common one */

    /* The machine's own. */
    enum agree_step {
        AGREE_GATHER,
        AGREE_ASK,
        AGREE_DOWN,
        AGREE_DONE
    } step;
    int error; /* of communication */
    int children, pending;
    struct verdict heard[AGREE_CHILDREN]; /* from the children, or from the parent in [0] */
    struct request *request[AGREE_CHILDREN + 1];
};

/* comm, tag, count, me, process and verdict have been set. */
void agree_start(struct agreement *a);
/* True when it is over: verdict is common, or error says why not. */
bool agree_poll(struct agreement *a);
/* Starts and waits. Returns a->error. */
int agree(struct agreement *a);

#endif
