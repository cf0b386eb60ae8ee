/* berth: stations (station.h) for each plain persistent collective of its own.
 *
 * Persistent collectives may be started in another order on each rank, so the number of a start among all
 * starts tells nothing. But each of them is made by all ranks together, in the same order: so each gets a
 * *berth*, a place for stations of its own in memory that all ranks have mapped already. The number of a
 * start is then the one's own count of starts. A start matches nothing, and waits for no other request.
 *
 * Ranks are at most so far apart as this needs: one that ends an allreduce, or another collective to which
 * all ranks contribute, knows that the others have ended the start before. So four lines and two parts of
 * room are enough, and it never looks how far the others are. The root of a broadcast, and those that send to
 * the root of a reduction, run ahead by as many starts as there are lines and parts, of which there are more.
 *
 * The memory is a few *quays*, plots that are cut into berths. Which units of a quay are taken is the same
 * on all ranks without a word, since they make the same berths in the same order. When a request is freed,
 * its rank notes that. Only when no quay has room for a new berth do the ranks tell each other which they
 * have freed; those that all have freed are cleared and used again, so nobody ever writes where another
 * still looks. If that is not enough there is a new quay, twice as large as the last one.
 *
 * What it costs, on each rank: 640 bytes of shared memory for a request of up to 112 bytes, and twice its
 * bytes more for a longer one, or 128 KiB for an allreduce of 8 to 64 KiB. Broadcasts and reductions to one
 * rank take 2 KiB, and eight times their bytes, or 256 KiB from 8 to 64 KiB, and four times their bytes
 * above. Quays take 16 MiB for a communicator at most; where that is not enough, requests take messages, on
 * all ranks alike. Making a request is an exchange between ranks only when the quays are full. Besides, a
 * request takes some 400 bytes of plain memory, and 40 for each rank of its communicator.
 *
 * Threads: berths are made in collective calls, one at a time for each communicator, and freed in any
 * thread.
 */
#ifndef COLL_BERTH_H
#define COLL_BERTH_H

#include "coll/choice.h"
#include "coll/station.h"

enum {
    QUAYS = 10,
    QUAY_LEAST = 16 * 1024 /* bytes of the first one; the last is 2^(QUAYS - 1) as large */
};

/* Of a communicator. */
struct berths {
    struct quay *quay[QUAYS];
    int quays;
    bool is_full_grown; /* there will be no more of them */
    int skips;          /* then: calls that go by without asking for freed ones, since that gave nothing */
    uint64_t made;      /* berths */
};

/* Stations for a persistent collective of so many bytes (of the largest buffer of a rank), which all ranks of
 * comm make. NULL, on all of them: there is no room. &berth_none: this rank has no memory to keep account of
 * its own; it cannot make the request, while others can. */
struct slots *berth_new(struct comm *comm, struct berths *b, enum collective collective, size_t bytes);
extern struct slots berth_none;
/* This rank starts it no more. */
void berth_free(struct slots *slots);
/* All of them are freed on this rank. */
void berths_free(struct berths *b);

#endif
