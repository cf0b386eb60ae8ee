/* multi_request: a request that waits for other requests, its children. It ends when all of them have.
 *
 * It is the first member of what its maker keeps in request->space. A round goes like this:
 * multi_request_start() says how many children there will be, multi_request_add() hands over each of them. The
 * last one to be done completes the request, with the first error among them and the status of the last
 * receive. Persistent requests, MPI_Isendrecv, flushes and partitioned requests are made of it.
 *
 * Threads: children end in any thread. `pending` is atomic: the thread that counts the last child completes the
 * request (acquire; release by those who counted before). A lock of their own guards error and note.
 */
#ifndef P2P_MULTI_REQUEST_H
#define P2P_MULTI_REQUEST_H

#include "p2p/transfer.h"

struct multi_request {
    struct comm *comm;              /* referenced until the request is released; may be NULL */
    void (*end)(struct request *r); /* just before completion; may be NULL */
    char *note;                     /* of error, owned; NULL: none */
    _Atomic int32_t pending;        /* children that are not done yet */
    int error;                      /* of the first child that failed; with `note`, written once */
};

static inline struct multi_request *multi_request_of(struct request *r)
{
    return (struct multi_request *)(void *)r->space;
}

/* An inactive request. Its release must call multi_request_release. */
int multi_request_new(enum request_kind kind, const struct request_ops *ops, struct comm *comm,
                      struct request **r);
void multi_request_release(struct request *r);

/* A round with so many children, none: it is complete. */
void multi_request_start(struct request *r, int children);
/* The round has more children than it was started with. */
void multi_request_expect(struct request *r, int more);
/* One of the children; takes over the reference. */
void multi_request_add(struct request *r, struct request *child);
/* One of the children could not be made. Takes the calling thread's note. */
void multi_request_fail(struct request *r, int error);
/* One child less. May release r. */
void multi_request_count(struct request *r);

#endif
