/* bundle: a request that stands for other requests, its children, and ends when all of them have.
 *
 * It is the first part of what its maker keeps in request->space. A round goes: bundle_start() says how many
 * children there will be, bundle_add() hands each over; the last one to be done completes the bundle, with
 * the first error among them and the status of the last receive. Persistent requests, MPI_Isendrecv, flushes
 * and partitioned requests are bundles.
 *
 * Threads: children end in any thread. `pending` is atomic: who counts the last one completes the bundle
 * (acquire; release by those who counted before). error and note have a lock of their own.
 */
#ifndef P2P_BUNDLE_H
#define P2P_BUNDLE_H

#include "p2p/transfer.h"

struct bundle {
    struct comm *comm;              /* referenced until the request is released; may be NULL */
    void (*end)(struct request *r); /* just before completion; may be NULL */
    char *note;                     /* of error, owned; NULL: none */
    _Atomic int32_t pending;        /* children that are not done yet */
    int error;                      /* of the first child that failed; with `note`, written once */
};

static inline struct bundle *bundle_of(struct request *r)
{
    return (struct bundle *)(void *)r->space;
}

/* An inactive request. Its release must call bundle_release. */
int bundle_new(enum request_kind kind, const struct request_ops *ops, struct comm *comm, struct request **r);
void bundle_release(struct request *r);

/* A round with so many children, none: it is complete. */
void bundle_start(struct request *r, int children);
/* The round has more children than it was started with. */
void bundle_expect(struct request *r, int more);
/* One of the children; takes over the reference. */
void bundle_add(struct request *r, struct request *child);
/* One of the children could not be made. Takes the calling thread's note. */
void bundle_fail(struct request *r, int error);
/* One child less. May release r. */
void bundle_count(struct request *r);

#endif
