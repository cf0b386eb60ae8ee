/* schedule: what one collective operation does on this rank, step by step, in any of its three forms.
 *
 *     struct schedule *s;
 *     int error = schedule_open(comm, form, NULL, &s);
 *
 *     if (error)
 *         return error;
 *     schedule_recv(s, theirs, peer);
 *     schedule_send(s, mine, peer);
 *     schedule_wait(s);
 *     schedule_copy(s, theirs, result);
 *     return schedule_close(s, request);
 *
 * An algorithm is a *builder*: a function that calls schedule_ procedures in the order in which its steps are to
 * happen. Sends and receives are started and go on beside each other; schedule_wait ends the round: what follows
 * happens after all that was started before. Copies and reductions happen at their place, and must not touch
 * what is in flight. A builder sees ranks, counts and types, never data, and takes memory from
 * schedule_scratch.
 *
 * The form says when steps are run:
 *   FORM_BLOCKING     each at once; schedule_wait waits.
 *   FORM_NONBLOCKING  each at once, until a schedule_wait finds something unfinished; that one and what follows
 *                     is kept, and run by the poller, from any call that makes progress.
 *   FORM_PERSISTENT   all are kept; each start of the request runs them.
 * Kept steps hold references to their datatypes; the arrays of counts that a builder reads are not kept.
 *
 * Matching. Every collective takes a number from its communicator and uses it as the tag of all its messages,
 * on PLANE_COLL. Ranks call collectives in the same order, so the numbers agree, and one that runs ahead
 * never meets a message of another collective. A persistent one takes its number when it is made and keeps
 * it, so that starting one needs no agreement and the order of starts does not matter: between two ranks its
 * messages are matched in the order of the steps, start after start.
 *
 * Errors. No step returns one: the first is kept, with its note. From then on this rank goes on to serve its
 * peers, so that nobody hangs for it, with empty messages, so that nobody takes garbage for data: a message
 * on PLANE_COLL that is not exactly as long as its receive is an error of the receiver. So the messages of a
 * barrier have a byte. The error is returned by schedule_close or is that of the request.
 *
 * Threads. A schedule belongs to the thread that builds it, then to whoever runs the poller, one thread at a
 * time; then to whoever saw its request complete. No lock is held while a step runs: operations are the
 * program's functions.
 */
#ifndef COLL_SCHED_SCHEDULE_H
#define COLL_SCHED_SCHEDULE_H

#include "base/list.h"
#include "coll/sched/block.h"
#include "comm/comm.h"
#include "op/op.h"
#include "request/request.h"

enum form {
    FORM_BLOCKING,
    FORM_NONBLOCKING,
    FORM_PERSISTENT
};

enum {
    ROUND_LIMIT = 32,   /* sends and receives in flight at once: bounds the memory of flat algorithms */
    FIRST_STEPS = 12,   /* steps and ... */
    FIRST_SCRATCH = 256 /* ... bytes of scratch that need no memory of their own */
};

enum step_kind {
    STEP_SEND,
    STEP_RECV,
    STEP_WAIT,
    STEP_COPY,
    STEP_REDUCE,
    STEP_UNPACK,  /* from: a slot */
    STEP_PUBLISH, /* this and the next ones: see lines.h; `from` is the block of each */
    STEP_TAKE,
    STEP_FOLD,
    STEP_END
};

struct step {
    uint8_t kind; /* enum step_kind */
    uint8_t line; /* enum tree_line, of those of lines.h */
    int peer;     /* a rank of the communicator; a neighbour in the tree */
    struct coll_block from, to;
};

struct schedule_scratch;
struct host_tree;

/* Some ranks of the communicator, which a builder works on as if there were no others. */
struct schedule_team {
    const int *member; /* ranks by position, used while steps are built; NULL: one behind the other ... */
    int first;         /* ... from here on */
    int size, me;      /* me: position of this process */
};

static inline int schedule_team_at(const struct schedule_team *team, int position)
{
    return team->member ? team->member[position] : team->first + position;
}

struct schedule {
    struct link
        link; /* in the list of active ones, or of those free for use; first, so that tools find these */
    struct comm *owner;        /* whose collective this is */
    struct comm *comm;         /* that messages go over: the owner, or both its groups in one */
    const struct op *op;       /* of reductions; NULL: there are none */
    int rank, size;            /* of this process in the team ... */
    struct schedule_team team; /* ... whose members the builder's ranks are */
    int tag;
    enum form form;     /* FORM_BLOCKING too where a nonblocking one has no memory for its steps, and ... */
    bool wants_request; /* ... ends with a request all the same */
    bool keeps;         /* steps are kept, not run */
    int started;        /* sends and receives since the last wait */

    struct host_tree *tree; /* owner of this and the next five: lines.c; NULL: none */
    uint64_t call;          /* of the tree */
    uint32_t line_tag;
    unsigned published; /* lines of the call: bits by enum tree_line */
    bool stays_awake;   /* since it waits for what nobody wakes it for */
    int looks;          /* that the current step has taken in vain */

    unsigned char byte_received; /* of a barrier; never looked at */

    int error;  /* the first one ... */
    char *note; /* ... and its note, owned */

    int in_flight, flight_limit;
    struct request **flight; /* first_flight, or memory of its own for more; the first in_flight are owned */
    bool is_held;            /* blocking: a receive that is not posted yet, since it may be ... */
    int held_source;         /* ... the only one of its round */
    struct coll_block held;

    struct step *step; /* those kept */
    int steps, capacity, next;
    struct request *request;          /* whose release frees the schedule; NULL: none yet */
    struct schedule_scratch *scratch; /* owned */
    size_t scratch_used;              /* of first_scratch */
    struct request *first_flight[ROUND_LIMIT];
    struct step first_step[FIRST_STEPS];
    _Alignas(16) unsigned char first_scratch[FIRST_SCRATCH];
};

/* Takes the next number of comm, which every rank of it must do. op: of the schedule's reductions. Ranks of
 * steps are those of comm_whole(comm). */
int schedule_open(struct comm *comm, enum form form, const struct op *op, struct schedule **schedule);
/* The same with a number that all ranks have taken by schedule_next_tag, for those that have messages. */
int schedule_open_as(struct comm *comm, enum form form, const struct op *op, int tag,
                     struct schedule **schedule);
/* The builder is done. Blocking: waits; returns the first error. Otherwise *request is the operation. */
int schedule_close(struct schedule *s, struct request **request);
/* A request that those nonblocking collectives of comm share which are complete when they are called, or one for
 * this alone where none is shared; NULL: no memory. */
struct request *schedule_done(struct comm *comm);
/* Keeps the error of a step, with the calling thread's note; 0 is none. */
void schedule_note(struct schedule *s, int error);

/* Memory for count items, which goes with the schedule. When there is none, the error is noted and the block
 * has no items: this rank then serves its peers with empty messages. */
struct coll_block schedule_scratch(struct schedule *s, MPI_Count count, struct datatype *type);
/* The same for ranks and places that steps name; without memory the job ends, since ranks would wait for each other. */
int *schedule_ranks(struct schedule *s, int count);
MPI_Count *schedule_offsets(struct schedule *s, int count);
/* The same for several vectors. */
struct vectors schedule_vectors(struct schedule *s, int vectors, MPI_Count count, struct datatype *type);

/* The steps. When ROUND_LIMIT sends and receives have been started, the next one waits for all of them: the
 * peers must be able to complete those without anything that this rank has not yet started. A builder that
 * cannot see to that asks for room for more of them first; without memory for it the job ends, since ranks
 * would wait for each other. */
void schedule_reserve(struct schedule *s, int operations);
void schedule_send(struct schedule *s, struct coll_block from, int dest);
void schedule_recv(struct schedule *s, struct coll_block to, int source);
void schedule_wait(struct schedule *s);
/* A round of both; between any set of ranks that exchange, no order of calls deadlocks. */
void schedule_exchange(struct schedule *s, struct coll_block from, int dest, struct coll_block to,
                       int source);
/* Copies a rank's own block, unless it is in its place. A block of another type may begin elsewhere. */
void schedule_keep(struct schedule *s, struct coll_block from, struct coll_block to);
/* Inside this process. */
void schedule_copy(struct schedule *s, struct coll_block from, struct coll_block to);
/* into[i] = from[i] op into[i], for as many items as both have. */
void schedule_reduce(struct schedule *s, struct coll_block from, struct coll_block into);
/* Takes a block out of a slot: behind 8 bytes, which say how many bytes it has, and one more; 0: nothing has come, for an error. If they are
 * more than the slot has room for, they are received from `source`. Another length than that of `to` is an error. */
void schedule_unpack(struct schedule *s, struct coll_block slot, struct coll_block to, int source);

/* Ranks of steps are positions in this team from now on; or of the communicator again. */
void schedule_enter(struct schedule *s, struct schedule_team team);
void schedule_leave(struct schedule *s);

/* The next number of comm, for exchanges on PLANE_COLL that are no schedules. */
int schedule_next_tag(struct comm *comm);

/* Between schedule.c, schedule_run.c and lines.c. */
void schedule_add(struct schedule *s, struct step step);
/* into[i] = from[i] op into[i]; `kinds`: of memory that they may be in. */
int schedule_combine(const struct op *op, struct coll_block from, struct coll_block into, int64_t kinds);
void schedule_free(struct schedule *s);
bool schedule_finish_round(struct schedule *s); /* whether nothing is in flight any more */
void schedule_wait_round(struct schedule *s);
void schedule_do(struct schedule *s, const struct step *step); /* runs a step that is no wait */
/* Runs what is kept as far as it will go; true at the end. */
bool schedule_advance(struct schedule *s);
/* Hands a schedule with kept steps to the poller; s->request is the operation. */
void schedule_activate(struct schedule *s);

#endif
