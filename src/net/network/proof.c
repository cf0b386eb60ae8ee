#include "net/network/proof.h"

#include "plain/keyed_hash.h"

#include <mpi.h>
#include <string.h>

int proof_of(const unsigned char *key, enum proof_use use, uint64_t job, uint32_t rank, uint64_t *proof)
{
    struct {
        uint64_t job;
        uint32_t rank, use;
    } text = {job, rank, use};
    unsigned char hash[KEYED_HASH_SIZE];
    int error = keyed_hash(key, &text, sizeof text, hash);

    if (!error)
        memcpy(proof, hash, sizeof *proof);
    return error;
}

bool proof_is(uint64_t proof, const unsigned char *key, enum proof_use use, uint64_t job, uint32_t rank)
{
    uint64_t due;

    return proof_of(key, use, job, rank, &due) == MPI_SUCCESS && proof == due;
}
