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
#ifndef MAKING_AGREE_H
#define MAKING_AGREE_H

#include "comm/comm.h"
#include "hint/vote.h"
#include "request/request.h"

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

#endif
