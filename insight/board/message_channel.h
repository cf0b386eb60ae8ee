/* message_channel: what a sender puts on the board for the receiver: an envelope for each message (message_check.h). The receiver
 * takes envelopes off, into a list of those whose messages no receive has taken. */
#ifndef INSIGHT_BOARD_MESSAGE_CHANNEL_H
#define INSIGHT_BOARD_MESSAGE_CHANNEL_H

#include "insight/board/board.h"
#include "insight/call/type_signature.h"

#include <stdatomic.h>

enum {
    CHANNEL_SLOTS = 256,
    PLACE_MODULE = 48, /* bits */
    PLACE_SYNCHRONOUS = 63
};

/* One cache line. `sequence` is stored with release when the rest is there, and loaded with acquire by the reader. */
struct message_envelope {
    uint64_t comm;
    int tag, from; /* from: rank in the communicator */
    struct type_signature signature;
    uint32_t known; /* the receiver's interval that the sender knew of */
    _Atomic uint32_t sequence;
    uint64_t place; /* offset, and from bit PLACE_MODULE on the module */
};

/* From one rank to another: one writer, which owns `head`, and one reader. `tail` is stored with release when a slot is free, and
 * loaded with acquire by the writer. `taken` is stored by the reader, relaxed: nothing else is read by it. */
struct message_channel {
    uint64_t head;
    char apart[56]; /* the writer's line and the reader's */
    _Atomic uint64_t tail;
    _Atomic uint64_t taken;     /* one more than the highest number that a receive has met */
    _Atomic uint32_t is_broken; /* envelopes were dropped */
    char apart_too[44];
    struct message_envelope slot[CHANNEL_SLOTS];
};

/* Envelopes that have been taken off a channel and not matched, oldest first. */
struct unmatched {
    struct unmatched *next;
    struct message_envelope envelope;
};

/* By sender: oldest first. This process's own, as the receiver. */
extern struct unmatched *message_channel_unmatched[BOARD_RANKS];

/* NULL: there is none, or with `make` no room for one. Ranks of MPI_COMM_WORLD. */
struct message_channel *message_channel_from(int from, int to, bool make);
/* Moves what has come from a rank into its list. False: something is missing. */
bool message_channel_drain(int from);
/* The next envelope of a channel; NULL: none has come. */
static inline const struct message_envelope *message_channel_next(const struct message_channel *c,
                                                                  uint64_t tail)
{
    const struct message_envelope *e = &c->slot[tail % CHANNEL_SLOTS];

    return atomic_load_explicit(&e->sequence, memory_order_acquire) == (uint32_t)tail + 1 ? e : NULL;
}

/* Where it was sent. */
static inline struct call_place message_channel_place(const struct message_envelope *e)
{
    return (struct call_place){(uint32_t)(e->place >> PLACE_MODULE) & (LIST_MODULES * 2 - 1),
                               e->place & ((UINT64_C(1) << PLACE_MODULE) - 1)};
}

/* An envelope that is off the list. */
void message_channel_free(struct unmatched *u);

/* late_receive: the message of a receive that is over, compared with it (message_check.h): by its rank, or when that is dead by who tells
 * the findings, mpiexec or the keeper, from what stands on the board (board.h).
 */

/* False: the message fits. Else fills in class, text and fix of a finding. */
bool late_receive_differs(const struct late_receive *receive, const struct type_signature *sent,
                          struct finding *found);
/* Adds what dead ranks did not come to say: differences of their last messages. */
void late_receive_tell(struct board *of);

#endif
