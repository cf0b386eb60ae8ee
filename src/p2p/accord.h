/* accord: living processes decide alike by messages, whoever dies meanwhile. Those of one host and job have net/shm/consensus.h.
 * making/survive.h has what agreements are for.
 *
 * A contribution is a vector whose parts are combined by and, or and maximum, so that it does no harm to combine one twice.
 *
 * While all live, two rounds decide. In each the processes of a host send what they have up a tree (*near* steps), those on top of it, one of
 * each host, to each other (*far* steps: in number i of them host h to host h + 2^i), and then down the trees:
 *
 *     up number i        the process at a place p of its host that is an odd multiple of 2^i to the one at p - 2^i
 *     down, the reverse
 *
 * So a process gets at most one message in a step. The first round combines the contributions; a process *stores* the result. The second
 * carries nothing: who has passed it knows that all have stored the result, and has decided.
 *
 * A process that knows of a failed member leaves the rounds. The first rank that lives coordinates:
 *   1. It asks all; each of them *joins* it: sends what it has stored, else its contribution. From then on it listens to no earlier
 *      coordinator. Who has decided answers with the decision, also after its call and the communicator are gone.
 *   2. When all who live have joined, it proposes what the latest coordinator had proposed that anybody has stored; else the result of the
 *      rounds, if anybody has stored that; else what the contributions give. All store it and say so.
 *   3. When all who live have, it has decided, and tells them.
 * If it dies the next rank does the same.
 *
 * Uniform: before anybody decides, all who live have stored what is decided. A coordinator that comes later hears of it from
 * each of them, and proposes nothing else. So also who dies later has decided the same.
 * It ends: who waits for a process waits for one that lives and takes part, or learns of its death: each loss is told to all (lost_on_death).
 *
 * Agreements of a group have numbers, one after the other. Those of number n are forgotten when n + 2 begins: then all have begun
 * n + 1, so all have left n. The last two of a group are kept.
 *
 * Lock: lane 0, which the caller holds.
 */
#ifndef P2P_ACCORD_H
#define P2P_ACCORD_H

#include "net/net.h"

/* The ranks of a group by hosts. The same on all members. */
struct accord_hosts {
    int count;
    int most;   /* ranks of a host */
    int *first; /* those of host h are at first[h] to first[h + 1] - 1 of `order` */
    int *host;  /* by rank: which it is on */
    int *place; /* by rank: where among those of its host */
    int order[];
};

/* Ranks with the same key share a host. NULL: no memory; freed by free. */
struct accord_hosts *accord_hosts_new(int size, const uint64_t *key);

/* Who agrees; stays valid. Contexts tell groups apart, the same on all members. */
struct accord_group {
    uint64_t context;
    int size, rank;
    const int *process;         /* by rank: process numbers */
    struct accord_hosts *hosts; /* owned by who agrees */
};

static inline size_t accord_words(int size)
{
    return ((size_t)size + 63) / 64;
}

/* A contribution, and a decision; behind it are two sets of ranks, of accord_words each. */
struct accord_value {
    uint64_t value;   /* combined by bitwise and */
    uint64_t context; /* the largest one is decided */
    uint64_t
        sets[]; /* failed: united, and those of who dies without having contributed; accepted: intersected */
};

/* A new value of which nothing is known; NULL: no memory. */
struct accord_value *accord_value_new(int size);

struct accord;

/* Begins the next agreement of a group, of this number: 1, 2, ...  NULL with a note: it is too large. */
struct accord *accord_begin(const struct accord_group *group, int number, const struct accord_value *mine);
/* Moves it on. The decision, once there is one, valid until the next but one begins; else NULL. */
const struct accord_value *accord_poll(struct accord *a);
/* A message of an agreement has come. */
void accord_on_message(const struct message *message, const void *payload, struct peer *from);

#endif
