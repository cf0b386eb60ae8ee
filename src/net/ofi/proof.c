#include "net/ofi/proof.h"

#include "base/keyed_hash.h"

#include <string.h>

uint64_t proof_of(const unsigned char *key, enum proof_use use, uint64_t job, uint32_t rank)
{
    struct {
        uint64_t job;
        uint32_t rank, use;
    } text = {job, rank, use};
    unsigned char hash[KEYED_HASH_SIZE];
    uint64_t proof;

    keyed_hash(key, &text, sizeof text, hash);
    memcpy(&proof, hash, sizeof proof);
    return proof;
}
