/* proof: what makes a packet or a heartbeat believable.
 *
 * Providers of reliable datagrams show no connections, so each packet proves by itself who sent it. Every
 * process has a *key*, random, which is published only with its address: through the launcher, or through the
 * accept of a port. A sender that has the key can prove to this process who it is. The proof is a
 * hash of the sender's job and rank under the receiver's key, so that neither shows the key.
 *
 * A packet's proof is that number plus the count of packets that its sender has sent to this receiver before.
 * So one comparison shows a forged packet, one that is sent again, and a gap, where packets were lost.
 */
#ifndef NET_NETWORK_PROOF_H
#define NET_NETWORK_PROOF_H

#include <stdbool.h>
#include <stdint.h>

enum proof_use {
    PROOF_PACKET = 1,
    PROOF_QUESTION, /* heartbeat.h: by who asks */
    PROOF_ANSWER,   /* by the owner of the key, to the process named */
    PROOF_DEATH,    /* likewise: it is lost to the owner. Who has overheard an answer cannot say so */
    PROOF_TAG       /* heartbeat.h: by anybody who knows the key */
};

/* job, rank: as on the card of the process (net/card.h). An error: libcrypto has no memory. */
int proof_of(const unsigned char *key, enum proof_use use, uint64_t job, uint32_t rank, uint64_t *proof)
    __attribute__((warn_unused_result));
/* Whether this is that proof. */
bool proof_is(uint64_t proof, const unsigned char *key, enum proof_use use, uint64_t job, uint32_t rank);

enum proof_verdict {
    PROOF_HOLDS,
    PROOF_FAILS,
    PROOF_GAP /* packets before this one were lost */
};

/* expected: the proof of the next packet of this sender. */
static inline enum proof_verdict proof_judge(uint64_t proof, uint64_t expected)
{
    return proof == expected ? PROOF_HOLDS : proof - expected < (uint64_t)1 << 24 ? PROOF_GAP : PROOF_FAILS;
}

#endif
