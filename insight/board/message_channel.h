/* message_channel: what a sender puts on the board for the receiver: an envelope for each message (message_check.h). The receiver
 * takes envelopes off, into a list of those whose messages no receive has taken.
 *
 * A line of the cache takes as long from core to core as a small message, so an envelope is a quarter of one: what it has in common
 * with others stands in a line of its own. Where both ranks write in turn, each envelope begins a line that the writer has asked for.
 */
#ifndef INSIGHT_BOARD_MESSAGE_CHANNEL_H
#define INSIGHT_BOARD_MESSAGE_CHANNEL_H

#include "insight/board/board.h"
#include "insight/call/type_signature.h"

#include <stdatomic.h>

enum {
    CHANNEL_SLOTS = 512,
    CHANNEL_KINDS = 256,
    LINE_SLOTS = 4,    /* in a cache line */
    PLACE_MODULE = 48, /* bits */
    PLACE_SYNCHRONOUS = 63
};

/* What is known of a message. */
struct message_envelope {
    uint64_t comm;
    int tag, from; /* from: rank in the communicator */
    struct type_signature signature;
    uint64_t number; /* of the messages of the channel, which need not be one more than that before */
    uint64_t place;  /* offset, and from bit PLACE_MODULE on the module */
    uint32_t known;  /* the receiver's interval that the sender knew of */
};

/* What messages of one line of the program have in common: they name it, so that a line of the cache has several. */
struct message_kind {
    uint64_t comm, place;
    struct type_signature signature; /* of one item, or, if `is_whole`, of all */
    int from;
    uint32_t is_whole;
};

/* `sequence`, one more than the number, is stored with release when the rest and the kind are there, and loaded with acquire by the
 * reader. */
struct message_slot {
    _Atomic uint32_t sequence;
    int tag;
    uint32_t known;
    uint32_t kind : 8, items : 24;
};

/* From one rank to another: one writer, which owns `head` and `used`, and one reader. `tail` is stored with release when slots and kinds
 * are free, and loaded with acquire by the writer. `taken` is stored by the reader, relaxed: nothing else is read by it. */
struct message_channel {
    uint64_t head;
    char apart[56]; /* the writer's line and the reader's */
    _Atomic uint64_t tail;
    _Atomic uint64_t taken; /* one more than the highest number that a receive has met */
    _Atomic uint64_t
        doubtful; /* bits of communicators: whether a message of it was sent, or taken, is not known */
    _Atomic uint32_t is_broken; /* envelopes were dropped */
    char apart_too[36];
    struct message_slot slot[CHANNEL_SLOTS];
    struct message_kind kind[CHANNEL_KINDS];
    uint64_t used[CHANNEL_KINDS]; /* one more than the number of the last message of a kind; 0: none */
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
/* Moves the next one to the end of the list; false: none has come, or there is no memory. */
bool message_channel_take(int from, struct unmatched **end);
/* Takes the next one off, if it fits a receive of this tag: its items are of one type, and the receive has room for them. Its number is
 * one less than `*behind`. */
bool message_channel_take_fitting(int from, uint64_t comm, int tag, const struct type_signature *room,
                                  uint64_t *behind);
/* Envelopes were dropped; NULL: none. Acquire: pairs with the release of whoever drops one. */
static inline bool message_channel_is_broken(const struct message_channel *c)
{
    return c && atomic_load_explicit(&c->is_broken, memory_order_acquire);
}
/* A send or a receive has ended with an error that does not say what became of the message: nothing of this communicator is compared any
 * more. Release and acquire: what is sent later comes after it. */
void message_channel_doubt(struct message_channel *c, uint64_t comm);
bool message_channel_is_doubtful(const struct message_channel *c, uint64_t comm);
/* Puts one in, but for its number, which it returns plus one; 0: no room. With `is_apart` the reader may have read what came before:
 * then a line of the cache that the reader does not have is written. */
uint64_t message_channel_put(struct message_channel *c, int to, const struct message_envelope *e,
                             bool is_apart);
/* The next one has come and is read soon. */
void message_channel_await(int from);
/* message_read.c: the first one from `*tail` on, which is moved behind it; false: none has come. */
bool message_channel_read(const struct message_channel *c, uint64_t *tail, struct message_envelope *e);
/* The same without a look at the rest, where the first one fits. */
bool message_channel_skip_fitting(const struct message_channel *c, uint64_t *tail, uint64_t comm, int tag,
                                  const struct type_signature *room);

static inline uint64_t message_channel_begin_line(uint64_t number)
{
    return (number + LINE_SLOTS - 1) / LINE_SLOTS * LINE_SLOTS;
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
