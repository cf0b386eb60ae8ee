/* slots: collectives of ranks of one host, through memory that all of them see, up to some ten thousand
 * bytes.
 *
 * Every operation has a number, counted up in the order of calls. A rank publishes what it puts into
 * operation k in its station (station.h), and then looks into the stations of those it needs data from: one
 * cache-line handoff, no message, no matching, and the fewest wake-ups where ranks outnumber cores. Some
 * calls take two numbers, since not every rank is to look at all of what all others have put in: a longer
 * allreduce is combined in pieces, each in place of that piece of what its rank had put in, and the others
 * take it from there; barriers and allreduces of many ranks are a reduction to rank 0 and a broadcast from
 * it.
 *
 * Blocking collectives have stations of their own, and nonblocking ones, so that neither waits for the other.
 * Persistent ones have others when mpi_assert_strict_persistent_collective_ordering promises that all ranks
 * start them in the same order: then the number of a start tells where its data lands, and nothing is
 * matched. Requests end in the order of their numbers, since collectives may synchronize (started.c).
 * Stations are made in a collective call that may wait for the others, after a few that could have used them:
 * a program that calls nonblocking ones alone sends messages. Long vectors have wide stations.
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

enum slot_stage {
    STAGE_DONE,
    STAGE_WHOLE,   /* all at once */
    STAGE_COMBINE, /* each rank its piece ... */
    STAGE_PIECES,  /* ... and takes those of the others */
    STAGE_UP,      /* rank 0 looks at the others, ... */
    STAGE_DOWN     /* ... and they at it */
};

/* One operation of this rank. */
struct slot_call {
    enum collective what;
    int root;            /* bcast, reduce; else 0 */
    struct block in;     /* what this rank puts in, if it does */
    struct block out;    /* the result; allgather, alltoall: all blocks */
    size_t due;          /* bytes that each rank that puts in something must put in */
    MPI_Count first;     /* reduce_scatter: the first item of this rank's piece */
    const struct op *op; /* of reductions, whose types are predefined ones */

    struct slots *slots; /* this and what follows: slot_begin and slot_try */
    uint64_t number;
    uint32_t looks;      /* in vain, so far */
    int next;            /* the ranks below it have published */
    uint16_t at;         /* of what this rank has put in: as struct line's */
    uint8_t stage, then; /* enum slot_stage: now, and with the next number; done: there is none */
    bool is_published;   /* or there is nothing to publish */
    bool is_told;        /* the others see that this rank is here */
    int error;
};

/* The stations that a call of this form on so many bytes uses; NULL: it takes messages. All ranks get the
 * same answer. A call that may wait for others may make them. */
struct slots *slots_for(struct comm *comm, enum form form, enum collective collective, size_t bytes);
/* The same for a reduction, by its type as well; none where it must not matter who shares a host. */
struct slots *slots_for_reduction(struct comm *comm, enum form form, enum collective collective,
                                  MPI_Count count, const struct datatype *type);

/* Does the call, or starts it, or makes the persistent request for it. */
int slots_do(struct comm *comm, struct slots *slots, struct slot_call call, enum form form,
             struct request **request);

/* The call among ranks that have stations. */
int slots_run(struct slots *slots, struct slot_call call);

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
