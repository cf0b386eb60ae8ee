/* advert: a table of advertised receives in memory that two processes share. Its *owner* tells the other
 * process, the *writer*, into which buffers it may write the next messages.
 *
 * An advert is OPEN. The writer claims it for the message that it is about to write, or the owner withdraws it:
 * the first one wins, since both change `state` by compare-exchange. The owner gets a claimed advert back when
 * a message of the writer says that the data is there (advert_free). The writer declines it when it could not
 * write; it then sends as usual.
 *
 * The writer claims only the earliest open advert for its context and tag. States carry a serial number, which
 * orders adverts, and shows when a slot was used anew in the meantime.
 *
 * Memory order: the owner writes the fields, then publishes `state` (release), which the writer reads (acquire). When it has
 * seen an advert, a second look shows all earlier ones: `used` says only where to look. Who changes a state has acquired it, and releases
 * what it did with the buffer before.
 */
#ifndef NET_ADVERT_H
#define NET_ADVERT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum {
    ADVERT_SLOTS = 8,
    ADVERT_LINE = 64
};

struct advert {
    uint64_t context, address, bytes;
    uint64_t receiver; /* handle of the owner's request */
    uint64_t seen;     /* how many of the writer's messages had been received when this receive was posted */
    int32_t tag;
};

/* Relaxed stores and loads: `state` orders them. */
struct advert_slot {
    _Alignas(
        ADVERT_LINE) _Atomic uint64_t state; /* serial number, and enum advert_state in the low two bits */
    _Atomic uint64_t context, address, bytes, receiver, seen;
    _Atomic int32_t tag;
};

/* Zeroed memory is an empty table. */
struct advert_table {
    _Alignas(ADVERT_LINE) _Atomic uint32_t used; /* bit i: slot i is not free; the owner's */
    uint64_t serial;                             /* the owner's: of the last advert */
    struct advert_slot slot[ADVERT_SLOTS];
};

/* Owner. The slot, -1 when all are in use. */
int advert_post(struct advert_table *b, const struct advert *a);
/* Owner. True: nobody will write there, the slot is free. False: the writer has claimed it. */
bool advert_withdraw(struct advert_table *b, int slot);
/* Owner: the message is there. False when the writer had not claimed the slot. */
bool advert_free(struct advert_table *b, int slot);
/* Owner: no more writing, whatever is open. */
void advert_clear(struct advert_table *b);

/* Writer. Claims the earliest open advert for context and tag, if its buffer is of so many bytes and
 * its owner had seen `sent` messages by then. The slot, -1 when there is nothing to claim. */
int advert_claim(struct advert_table *b, uint64_t context, int32_t tag, uint64_t bytes, uint64_t sent,
                 struct advert *found);
/* Writer: nothing was written, or not all. */
void advert_decline(struct advert_table *b, int slot);

#endif
