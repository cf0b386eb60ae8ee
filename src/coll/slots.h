/* slots: small collectives of ranks of one host, through memory that all of them see.
 *
 * Every operation has a number, counted up in the order of calls. A rank publishes what it puts into
 * operation k in its station (station.h), and then looks into the stations of those it needs data from: one
 * cache-line handoff, no message, no matching, and the fewest wake-ups where ranks outnumber cores. What is
 * published says which operation with which root it is for, and how many bytes: ranks that call different
 * things find out and get an error.
 *
 * Blocking collectives have stations of their own. Persistent ones have others when
 * mpi_assert_strict_persistent_collective_ordering promises that all ranks start them in the same order: then
 * the number of a start tells where its data lands, and nothing is matched. Stations are made in a collective
 * call, after a few that could have used them.
 *
 * A rank that has waited long sleeps, or naps, ever longer, where ranks outnumber cores.
 */
#ifndef COLL_SLOTS_H
#define COLL_SLOTS_H

#include "coll/choice.h"
#include "coll/schedule.h"

struct slots;

/* One operation of this rank. */
struct slot_call {
    enum collective what;
    int root;            /* bcast, reduce; else 0 */
    struct block in;     /* what this rank puts in, if it does */
    struct block out;    /* the result; allgather, alltoall: all blocks */
    size_t due;          /* bytes that each rank that puts in something must put in */
    MPI_Count first;     /* reduce_scatter: the first item of this rank's piece */
    const struct op *op; /* of reductions, whose types are predefined ones */

    struct slots *slots; /* this and what follows: slots_begin and slots_try */
    uint64_t number;
    bool is_published;
    int next; /* the ranks below it have published */
    int error;
};

/* The stations that a call of this form on so many bytes uses; NULL: it takes messages. All ranks get the
 * same answer. May communicate. */
struct slots *slots_for(struct comm *comm, enum form form, enum collective collective, size_t bytes);
/* The same for a reduction, by its type as well. */
struct slots *slots_for_reduction(struct comm *comm, enum form form, enum collective collective,
                                  MPI_Count count, const struct datatype *type);

/* Does the call, or makes the persistent request for it. */
int slots_do(struct comm *comm, struct slots *slots, struct slot_call call, enum form form,
             struct request **request);

/* The call among ranks that have stations. */
int slots_run(struct slots *slots, struct slot_call call);

/* Begins a call; slots_try goes on with it, true when it is over and call->error is set. */
void slots_begin(struct slot_call *call);
bool slots_try(struct slot_call *call);

#endif
