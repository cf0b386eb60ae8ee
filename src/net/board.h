/* board: announced receives. A piece of memory that two processes share, where one, the *owner*, tells the
 * other, the *writer*, into which of its buffers the next message of a kind may be written at once.
 *
 * An announcement is OPEN until the writer claims it for the message that it is about to write, or the owner
 * withdraws it, whoever is first: both change `state` by compare-exchange. A claimed one is the owner's again
 * when the writer has told, by a message, that the data is there (board_free); or when the writer has
 * declined, since it could not write after all, and sends as usual.
 *
 * The writer claims none but the earliest open announcement for its context and tag. The states carry a
 * serial number, so that a slot that was used anew in the meantime is found out, and the earliest can be
 * told.
 *
 * Memory order: the owner writes the fields and publishes `state`, then `used` (release); the writer reads
 * `used` and `state` (acquire). Having seen one announcement it sees all earlier ones when it looks again.
 */
#ifndef NET_BOARD_H
#define NET_BOARD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum {
    BOARD_SLOTS = 8,
    BOARD_LINE = 64
};

struct announcement {
    uint64_t context, address, bytes;
    uint64_t receiver; /* handle of the owner's request */
    uint64_t seen;     /* of the writer's messages, as many had been taken in when this receive was posted */
    int32_t tag;
};

/* Relaxed stores and loads: `state` orders them. */
struct board_slot {
    _Alignas(BOARD_LINE) _Atomic uint64_t state; /* serial number, and enum board_state in the low two bits */
    _Atomic uint64_t context, address, bytes, receiver, seen;
    _Atomic int32_t tag;
};

/* Zeroed memory is an empty board. */
struct board {
    _Alignas(BOARD_LINE) _Atomic uint32_t used; /* bit i: slot i is not free; the owner's */
    uint64_t serial;                            /* the owner's: of the last announcement */
    struct board_slot slot[BOARD_SLOTS];
};

/* Owner. The slot, -1 when all are in use. */
int board_announce(struct board *b, const struct announcement *a);
/* Owner. True: nobody will write there, the slot is free. False: the writer has claimed it. */
bool board_withdraw(struct board *b, int slot);
/* Owner: the message is there. False when the writer had not claimed the slot. */
bool board_free(struct board *b, int slot);
/* Owner: no more writing, whatever is open. */
void board_clear(struct board *b);

/* Writer. Claims the earliest open announcement for context and tag, if its buffer is of so many bytes and
 * its owner had seen `sent` messages by then. The slot, -1 when there is nothing to claim. */
int board_claim(struct board *b, uint64_t context, int32_t tag, uint64_t bytes, uint64_t sent,
                struct announcement *found);
/* Writer: nothing was written, or not all. */
void board_decline(struct board *b, int slot);

#endif
