/* slots: collectives of ranks of one host, through memory that all of them see, up to some ten thousand
 * bytes. Longer ones only begin and end here, and move their data as reach.h says.
 *
 * Every operation has a number, counted up in the order of calls. A rank publishes what it puts into
 * operation k in its station (station.h), and then looks into the stations of those it needs data from: one
 * cache-line handoff, no message, no matching, and the fewest wake-ups where ranks outnumber cores. Some
 * calls take two numbers, since not every rank is to look at all of what all others have put in: a longer
 * allreduce is combined in pieces, each in place of that piece of what its rank had put in, and the others
 * take it from there; barriers and allreduces of many ranks are a reduction to rank 0 and a broadcast from
 * it. A long broadcast takes a number for each portion: the root fills the room ahead while others copy out.
 *
 * Blocking collectives have stations of their own, and nonblocking ones, so that neither waits for the other.
 * Requests of these end in the order of their numbers, since collectives may synchronize (started.c).
 * Stations are made in a collective call that may wait for the others, after a few that could have used them:
 * a program that calls nonblocking ones alone sends messages. Long vectors have wide stations.
 *
 * Each persistent collective has stations to itself, as small as it needs (berth.h), so that its starts have
 * numbers of their own, whatever else is started before them. Where all ranks promise to start them in the
 * same order (mpi_assert_strict_persistent_collective_ordering), they share stations like nonblocking ones:
 * then a request takes no memory there.
 *
 * What is published says which operation with which root it is for, and how many bytes: ranks that call
 * different things find out and get an error. One that waits long tells so, if nobody has heard of it yet;
 * and one that finds an error tells that, so that no rank waits for ever for one that is here.
 *
 * A rank that has waited long sleeps, or naps, ever longer, where ranks outnumber cores.
 */
#ifndef COLL_SLOTS_H
#define COLL_SLOTS_H

#include "coll/choice.h"
#include "coll/schedule.h"

struct slots;

enum {
    TOLD_BYTES = 32 /* that a rank tells of its buffers, see reach.h */
};

enum slot_stage {
    STAGE_DONE,
    STAGE_WHOLE,   /* all at once */
    STAGE_COMBINE, /* each rank its piece ... */
    STAGE_PIECES,  /* ... and takes those of the others */
    STAGE_UP,      /* rank 0 looks at the others, ... */
    STAGE_DOWN,    /* ... and they at it */
    STAGE_TELL,    /* reach.h: where the buffers are; then each rank does its part, ... */
    STAGE_LEAVE    /* ... and waits until nobody needs its buffers */
};

/* One operation of this rank. */
struct slot_call {
    enum collective what;
    int root;         /* bcast, reduce, gather, scatter; scan: 1 leaves out the own vector; else 0 */
    struct block in;  /* what this rank puts in, if it does */
    struct block out; /* the result; allgather, alltoall, a gather's root: all blocks */
    size_t due;       /* bytes that each rank that puts in something must put in */
    MPI_Count first;  /* reduce_scatter: the first item of this rank's piece; bcast, from slot_begin on: the
                         first byte that goes with this number */
    const struct op *op; /* of reductions, whose types are predefined ones */

    struct slots *slots; /* this and what follows: slot_begin and slot_try */
    uint64_t number;
    uint32_t looks;       /* in vain, so far */
    uint16_t word;        /* what its line says: collective and root */
    uint8_t next, until;  /* this rank looks at ranks up to `until`; those before `next` have published */
    unsigned char *place; /* of what it has put in, in its station */
    uint8_t stage, then;  /* enum slot_stage: now, and with the next number; done: there is none */
    bool is_published;    /* or there is nothing to publish */
    bool is_told;         /* the others see that this rank is here */
    bool is_reached;      /* set by reach_for: the others get to the buffers themselves */
    bool has_begun;       /* owner of this and what follows: reach.c; others may be at the buffers */
    bool in_is_apart, out_is_apart;
    uint8_t apart_log; /* log2 of the bytes of `apart`; 0: it is not kept */
    int error;
    unsigned char *apart; /* owned; memory in place of buffers that others cannot get to */
};

/* The stations that a call of this form on so many bytes uses; NULL: it takes messages. All ranks get the
 * same answer. A call that may wait for others may make them; those that a persistent one has to itself are
 * its request's, which slots_do makes. */
struct slots *slots_for(struct comm *comm, enum form form, enum collective collective, size_t bytes);
/* The same for a reduction, by its type as well; none where it must not matter who shares a host. */
struct slots *slots_for_reduction(struct comm *comm, enum form form, enum collective collective,
                                  MPI_Count count, const struct datatype *type);

/* Those through which ranks tell each other what such calls need; NULL: there are none. */
struct slots *slots_to_tell(struct comm *comm, enum form form);

/* Does the call, or starts it, or makes the persistent request for it. */
int slots_do(struct comm *comm, struct slots *slots, struct slot_call *call, enum form form,
             struct request **request);

/* The call among ranks that have stations. */
int slots_run(struct slots *slots, struct slot_call *call);

/* slot.c: begins a call; slot_try goes on with it, true when it is over and call->error is set. slot_publish
 * is the first thing that it does: true when it has nothing more to do. */
void slot_begin(struct slot_call *call);
bool slot_publish(struct slot_call *call);
bool slot_try(struct slot_call *call);
/* Whether it cannot publish what it has to until others have ended earlier ones. */
bool slot_waits_for_done(const struct slot_call *call);

/* started.c: the forms that have requests. */
int slots_start(struct comm *comm, struct slot_call *call, struct request **request);
int slots_keep(struct comm *comm, struct slot_call *call, struct request **request);

#endif
