#include "net/net.h"

#include <mpi.h>
#include <string.h>

bool net_get(struct peer *peer, void *to, uint64_t address, size_t bytes)
{
    const void *there = net_map(peer, address, bytes);
    struct iovec piece = {to, bytes};

    if (there)
        memcpy(to, there, bytes);
    return there || (peer->transport->get && peer->transport->get(peer, &piece, 1, address) == MPI_SUCCESS);
}

bool net_put(struct peer *peer, const void *from, uint64_t address, size_t bytes)
{
    void *there = net_map(peer, address, bytes);

    if (there)
        memcpy(there, from, bytes);
    return there || (peer->transport->put && peer->transport->put(peer, from, address, bytes) == MPI_SUCCESS);
}

bool net_can_get(struct peer *peer, uint64_t address, size_t bytes)
{
    return net_map(peer, address, bytes) ||
           (peer->transport->get && peer->transport->get(peer, NULL, 0, 0) == MPI_SUCCESS);
}

bool net_can_put(struct peer *peer, uint64_t address, size_t bytes)
{
    return net_map(peer, address, bytes) ||
           (peer->transport->put && peer->transport->put(peer, NULL, 0, 0) == MPI_SUCCESS);
}
