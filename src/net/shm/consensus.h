/* consensus: the living ranks of a communicator on one host decide alike, whoever dies meanwhile.
 *
 * Memory that processes share outlives them, and an atomic instruction in it happens or does not. So one compare-and-swap
 * decides, nobody coordinates, and the memory is the log:
 *
 *   1. Each rank writes its contribution, then the number of the agreement (release).
 *   2. It waits until each member has written that number or has died (host_page.h).
 *   3. It makes a proposal of what has been contributed, writes it beside its contribution, and names itself in the word
 *      `decision` by compare-and-swap (release). The first one wins.
 *   4. The decision is the proposal of whoever is named there (acquire), also for ranks that come late.
 *
 * Uniform: the word changes once in an agreement, and a proposal stays as it is once its rank may be named. So no two ranks
 * take different decisions, also those that die afterwards.
 * It ends: each member writes its number, or dies and mpiexec says so. Who dies after step 1 counts as having contributed;
 * after step 3 its decision stands.
 * Valid: a decision is made of contributions alone, and has those of all who have not died before.
 *
 * Rounds: agreements of a communicator come one after the other, and take ROUNDS places in turn. A rank that begins number
 * n + 2 has seen all living begin n + 1, so all of them have left n. With three places nobody writes what another may read.
 *
 * Places are found by the context of the communicator, in a table whose lock a death of its holder does not close. When
 * all members have left a communicator, the last one frees the place.
 *
 * Threads: one at a time uses a struct consensus; any may open and close.
 */
#ifndef NET_SHM_CONSENSUS_H
#define NET_SHM_CONSENSUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    CONSENSUS_ENTRIES = 256, /* communicators on a host that may have agreements at a time */
    CONSENSUS_ROUNDS = 3,
    CONSENSUS_UNIT = 64
};

/* Sets of processes of the host are bits by local rank, in so many words. */
static inline size_t consensus_words(int local_size)
{
    return ((size_t)local_size + 63) / 64;
}

/* A rank's contribution and proposal. */
static inline size_t consensus_part_bytes(int local_size)
{
    return (8 * (5 + 3 * consensus_words(local_size)) + CONSENSUS_UNIT - 1) / CONSENSUS_UNIT * CONSENSUS_UNIT;
}

static inline size_t consensus_entry_bytes(int local_size)
{
    return CONSENSUS_ROUNDS * (CONSENSUS_UNIT + (size_t)local_size * consensus_part_bytes(local_size));
}

static inline size_t consensus_bytes(int local_size)
{
    return CONSENSUS_UNIT +
           CONSENSUS_ENTRIES * (8 * (1 + consensus_words(local_size)) + consensus_entry_bytes(local_size));
}

struct consensus;

/* What a rank contributes. */
struct contribution {
    uint64_t value;           /* they are combined by bitwise and */
    uint64_t context;         /* a number; that of the winner is decided */
    const uint64_t *failed;   /* members that this rank knows as failed; they are united */
    const uint64_t *accepted; /* those failures that it has acknowledged */
};

struct decision {
    uint64_t value, context;
    bool is_accepted; /* all who contributed have acknowledged all of `failed` */
    const uint64_t
        *failed; /* and those that have not contributed. Valid until the next agreement but one begins */
};

/* A place for the agreements of `count` processes of this host and job, of which this process is one; its address is kept
 * and not copied. NULL with a note: there is none left, or the job does not survive deaths. */
struct consensus *consensus_open(uint64_t context, int count, const int *local_rank);
void consensus_close(struct consensus *c);

/* Begins the next agreement. The caller then wakes the members. */
void consensus_begin(struct consensus *c, const struct contribution *mine);
/* Whether it is decided. Members that die and those that contribute wake who waits. */
bool consensus_poll(struct consensus *c, struct decision *decision);

#endif
