/* Copies between memory here and memory of a peer: by loads and stores where it is mapped, else by the transport. */
#include "net/net.h"

#include <mpi.h>
#include <string.h>

bool net_copy_pieces(struct peer *peer, bool is_put, void *here, size_t bytes, struct iovec *there,
                     int pieces)
{
    struct iovec piece = {here, bytes};

    return peer->transport->copy &&
           peer->transport->copy(peer, is_put, &piece, 1, there, pieces) == MPI_SUCCESS;
}

bool net_get(struct peer *peer, void *to, uint64_t address, size_t bytes)
{
    const void *mapped = net_map(peer, address, bytes);
    struct iovec there = {(void *)(uintptr_t)address, bytes};

    if (mapped)
        memcpy(to, mapped, bytes);
    return mapped || net_copy_pieces(peer, false, to, bytes, &there, 1);
}

bool net_put(struct peer *peer, const void *from, uint64_t address, size_t bytes)
{
    void *mapped = net_map(peer, address, bytes);
    struct iovec there = {(void *)(uintptr_t)address, bytes};

    if (mapped)
        memcpy(mapped, from, bytes);
    return mapped || net_copy_pieces(peer, true, (void *)(uintptr_t)from, bytes, &there, 1);
}

bool net_can_copy(struct peer *peer, uint64_t address, size_t bytes)
{
    return net_map(peer, address, bytes) ||
           (peer->transport->copy && peer->transport->copy(peer, false, NULL, 0, NULL, 0) == MPI_SUCCESS);
}
