/* card: what tells a process from all others, also from those of other jobs, and where it is.
 *
 * Within a job a process is its number. When processes of another job are met (dynamic/connect.h), their cards
 * are exchanged, and each gets a number behind those of this job, the same whenever it is met again. Such a
 * number means something in this process only, so what is told to others about a process is its card.
 *
 * Where a process is comes in two parts: its host, and, once the network is open in it (net_admit), its
 * address there. Who shares memory with it has no use for the second.
 *
 * Lock: the numbers belong to the holder of lane 0; the card of a number never changes.
 */
#ifndef NET_CARD_H
#define NET_CARD_H

#include <stdbool.h>
#include <stdint.h>

enum {
    CARD_GUESTS = 1 << 16, /* processes of other jobs that one process may meet in its life */
    CARD_PROVIDER_SIZE = 40,
    CARD_ADDRESS_MAX = 84
};

/* As the transport between hosts has it (net/ofi/wire.h). */
struct card_address {
    char provider[CARD_PROVIDER_SIZE];
    uint16_t port;
    uint16_t length; /* of `bytes`; 0: none */
    unsigned char bytes[CARD_ADDRESS_MAX];
};

struct card {
    uint64_t job;       /* host_hash of its job's name */
    uint64_t host;      /* host_mine there; 0: it shares no memory */
    int32_t rank;       /* in its job */
    int32_t local_rank; /* among its job's processes of that host */
    struct card_address address;
};

struct card card_mine(void);
/* The address of this process, once it has one; it stays where it is. */
void card_set_address(const struct card_address *address);

/* What tells a process from all others: the same number on all that know it. */
uint64_t card_identity(int process);

/* The number of the process; a new one at the first time. -1 with a note: there are no more. */
int card_number(const struct card *card);
/* The number of the process with this rank of this job; -1: not met so far. */
int card_find(uint64_t job, int32_t rank);
/* Of a process of another job. */
const struct card *card_of(int process);
/* One above the highest number of a process so far. */
int card_end(void);

static inline bool card_is_same(const struct card *a, const struct card *b)
{
    return a->job == b->job && a->rank == b->rank;
}

#endif
