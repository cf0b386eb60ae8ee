/* card: identifies a process across jobs, and says where it is.
 *
 * Within a job a process is its number. Processes of different jobs that connect (dynamic/connect.c) exchange
 * cards. Each card gets a number behind those of this job, the same at every later connection. Such a number
 * is valid in this process only, so messages about a process carry its card.
 *
 * A card holds the host of the process and, once the network is open in it (net_admit), its address there.
 * Processes that share memory do not use the address. The address includes a key, so only processes that have
 * proved to belong to the other job get a card.
 *
 * Lock: the numbers belong to the holder of lane 0. The card of a number never changes.
 */
#ifndef NET_CARD_H
#define NET_CARD_H

#include <stdbool.h>
#include <stdint.h>

enum {
    CARD_GUESTS = 1 << 16, /* most processes of other jobs that one process can connect to in its life */
    CARD_OWNER_SIZE = 8,
    CARD_ADDRESS_MAX = 400
};

/* An address between hosts, which its owner alone understands. */
struct card_address {
    char owner[CARD_OWNER_SIZE]; /* the name of the network */
    uint16_t length;             /* of `bytes`; 0: none */
    unsigned char bytes[CARD_ADDRESS_MAX];
};

struct card {
    uint64_t job;       /* host_hash of its job's name */
    uint64_t host;      /* its net_host; 0: it shares no memory */
    int32_t rank;       /* in its job */
    int32_t local_rank; /* among its job's processes of that host */
    struct card_address address;
};

struct card card_mine(void);
/* Sets the host of this process (net_host). In net_open. */
void card_set_host(uint64_t host);
/* Sets the address of this process. `address` must stay valid. */
void card_set_address(const struct card_address *address);

/* Identifies a process: the same number in all processes that know it. */
uint64_t card_identity(int process);

/* The number of the card's process, a new one at the first call. -1 with a note: there are no more. */
int card_number(const struct card *card);
/* The number of the process with this rank in this job; -1: it has none so far. */
int card_find(uint64_t job, int32_t rank);
/* The card of a process of another job. */
const struct card *card_of(int process);
/* One above the highest number of a process so far. */
int card_end(void);

static inline bool card_is_same(const struct card *a, const struct card *b)
{
    return a->job == b->job && a->rank == b->rank;
}

#endif
