/* shm_coll: collectives of ranks of one host through mailboxes in shared memory, up to some ten thousand bytes.
 * Larger ones use mailboxes for synchronization only and move their data as direct.h says.
 *
 * Every operation has a sequence number, counted up in the order of calls. A rank publishes its contribution to
 * operation k in its mailbox (mailbox.h), and then polls the mailboxes of the ranks whose data it needs: one
 * cache-line handoff, no message, no matching, and the fewest wake-ups where ranks outnumber cores. Some calls
 * take two sequence numbers, since not every rank has to read all of what all others contribute. A longer
 * allreduce is combined in pieces: each rank combines one piece, in place of that piece of its contribution, and
 * the others read it there. A barrier or an allreduce of many ranks is a reduction to rank 0 and a broadcast
 * from it. A long broadcast takes a sequence number for each portion: the root fills segments ahead while the
 * others copy out.
 *
 * Blocking collectives have mailboxes of their own, and nonblocking ones have theirs, so neither wait for the
 * other. Nonblocking requests complete in the order of their sequence numbers, since collectives may synchronize
 * (shm_request.c). Mailboxes are made in a collective call that may wait for the others, after a few that could
 * have used them: a program with nonblocking calls alone sends messages. Long vectors use large mailboxes.
 *
 * Each persistent collective has mailboxes to itself, as small as it needs (persistent_slot.h), so its starts
 * have sequence numbers of their own, whatever else is started before them. Where all ranks assert that they
 * start them in the same order (mpi_assert_strict_persistent_collective_ordering), they share mailboxes like
 * nonblocking ones, and a request takes no shared memory.
 *
 * A line's header says which collective with which root it is for, and how many bytes. Ranks that call
 * different collectives find out and get an error. A rank that waits long publishes its header, if it has not
 * yet; a rank that finds an error publishes that. So no rank waits for ever for one that is here.
 *
 * A rank that has waited long sleeps, or naps, ever longer, where ranks outnumber cores.
 */
#ifndef COLL_SHM_SHM_COLL_H
#define COLL_SHM_SHM_COLL_H

#include "coll/choice.h"
#include "coll/sched/schedule.h"

struct mailboxes;

enum {
    DESCRIPTOR_BYTES = 32 /* of a rank's buffers, see direct.h */
};

enum engine_stage {
    STAGE_DONE,
    STAGE_WHOLE,   /* all at once */
    STAGE_COMBINE, /* each rank combines its piece ... */
    STAGE_PIECES,  /* ... and takes those of the others */
    STAGE_UP,      /* rank 0 polls the others, ... */
    STAGE_DOWN,    /* ... and they poll it */
    STAGE_EXPOSE,  /* direct.h: descriptors of the buffers; then each rank moves its part, ... */
    STAGE_RELEASE  /* ... and waits until nobody accesses its buffers */
};

/* One operation of this rank. */
struct shm_call {
    enum collective collective;
    int root;              /* bcast, reduce, gather, scatter; scan: 1 leaves out the own vector; else 0 */
    struct coll_block in;  /* this rank's contribution, if it has one */
    struct coll_block out; /* the result; allgather, alltoall, a gather's root: all blocks */
    size_t bytes;          /* of the contribution of each rank that has one */
    MPI_Count first;     /* reduce_scatter: the first item of this rank's piece; bcast, from engine_begin on:
                              the first byte of this portion */
    const struct op *op; /* of reductions, whose types are predefined ones */

    struct mailboxes *boxes; /* this and what follows: engine.c */
    uint64_t sequence;
    uint32_t polls;         /* in vain, so far */
    uint16_t tag;           /* of its line: collective and root */
    uint8_t next, until;    /* this rank polls ranks up to `until`; those before `next` have published */
    unsigned char *payload; /* of its contribution, in its mailbox */
    uint8_t stage, then; /* enum engine_stage: now, and with the next sequence number; done: there is none */
    bool is_published;   /* or there is nothing to publish */
    bool is_announced;   /* the others see that this rank is here */
    bool is_direct;      /* set by direct_for */
    bool is_exposed;     /* owner of this and what follows: direct.c; others may access the buffers */
    bool in_bounces, out_bounces;
    uint8_t bounce_log; /* log2 of the bytes of `bounce`; 0: it is not cached */
    int error;
    unsigned char *bounce; /* owned; memory in place of buffers that others cannot access */
};

/* The mailboxes that a call of this form on so many bytes uses. NULL: it uses messages. All ranks get the same
 * answer. A call that may wait for others may make them. Those of a persistent one are its request's, which
 * shm_coll_do makes. */
struct mailboxes *shm_coll_for(struct comm *comm, enum form form, enum collective collective, size_t bytes);
/* The same for a reduction, by its type as well; none where it must not matter which ranks share a host. */
struct mailboxes *shm_coll_for_reduction(struct comm *comm, enum form form, enum collective collective,
                                         MPI_Count count, const struct datatype *type);

/* The mailboxes for the descriptors of direct calls. NULL: there are none. */
struct mailboxes *shm_coll_for_direct(struct comm *comm, enum form form);

/* Does the call, or starts it, or makes the persistent request for it. */
int shm_coll_do(struct comm *comm, struct mailboxes *boxes, struct shm_call *call, enum form form,
                struct request **request);

/* The call among ranks that have mailboxes. */
int shm_coll_run(struct mailboxes *boxes, struct shm_call *call);

/* engine.c: begins a call. engine_advance goes on with it: true when it is over and call->error is set.
 * engine_publish is the first thing that it does: true when nothing is left to publish. */
void engine_begin(struct shm_call *call);
bool engine_publish(struct shm_call *call);
bool engine_advance(struct shm_call *call);
/* Whether it cannot publish until others have completed earlier operations. */
bool engine_waits_for_done(const struct shm_call *call);

/* shm_request.c: the forms that have requests. */
int shm_request_start(struct comm *comm, struct shm_call *call, struct request **request);
int shm_request_init(struct comm *comm, struct shm_call *call, struct request **request);

#endif
