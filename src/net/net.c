#include "net/net.h"

#include "boot/boot.h"
#include "hint/hint.h"
#include "net/card.h"
#include "plain/fail.h"

#include <mpi.h>
#include <stdatomic.h>
#include <stdlib.h>

struct peer **net_peers[NET_LANES];

/* Those that are opened, in the order in which they reach processes; also while other lanes are in use: */
static const struct transport *in_use[NET_TRANSPORTS];
static bool (*polls[NET_TRANSPORTS])(int lane, struct arrival *arrival);
static _Atomic int use_count; /* release after both are written; acquire to read them */

void net_use(const struct transport *transport)
{
    int count = atomic_load_explicit(&use_count, memory_order_relaxed);

    in_use[count] = transport;
    polls[count] = transport->poll;
    atomic_store_explicit(&use_count, count + 1, memory_order_release);
}

void net_use_none(void)
{
    atomic_store_explicit(&use_count, 0, memory_order_relaxed); /* no thread polls any more */
}

const struct transport *net_transport(int process)
{
    int count = atomic_load_explicit(&use_count, memory_order_acquire);

    for (int i = 0; i < count; i++)
        if (in_use[i]->reaches(process))
            return in_use[i];
    return NULL;
}

struct peer *net_connect(int lane, int process)
{
    const struct transport *transport = net_transport(process);
    struct peer *peer;

    if (!transport && process >= boot.size) {
        fail(MPI_ERR_UNSUPPORTED_OPERATION, "no transport reaches rank %d of another job",
             card_of(process)->rank);
        return NULL;
    }
    if (!transport) {
        fail(MPI_ERR_OTHER,
             "no transport reaches process %d, which is on another host: INKLING_TRANSPORT must not be shm",
             process);
        return NULL;
    }
    peer = calloc(1, sizeof *peer);
    if (!peer) {
        fail(MPI_ERR_NO_MEM, "no memory for a peer");
        return NULL;
    }
    peer->process = process;
    peer->lane = lane;
    peer->transport = transport;
    list_init(&peer->waiting);
    if (transport->connect(peer)) {
        free(peer);
        return NULL;
    }
    peer->message_max = transport->limits(peer)->message_max;
    net_peers[lane][process] = peer;
    return peer;
}

bool net_poll(int lane, struct arrival *arrival)
{
    for (int i = atomic_load_explicit(&use_count, memory_order_acquire) - 1; i >= 0; i--)
        if (polls[i](lane, arrival))
            return true;
    return false;
}

void net_release(const struct arrival *arrival)
{
    arrival->from->transport->release(arrival->from->lane);
}
