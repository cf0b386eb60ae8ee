#include "net/net.h"

#include "base/fail.h"
#include "base/lock.h"
#include "boot/boot.h"
#include "hint/hint.h"
#include "net/card.h"
#include "progress/progress.h"

#include <mpi.h>
#include <stdlib.h>
#include <unistd.h>

static const struct transport *const transports[] = {&self_transport, &shm_transport, &ofi_transport};
enum {
    TRANSPORTS = sizeof transports / sizeof transports[0]
};

struct peer **net_peers[NET_LANES];

/* Values of the row inkling_transport. */
enum {
    TRANSPORT_AUTO,
    TRANSPORT_SHM,
    TRANSPORT_OFI
};

static bool opened[TRANSPORTS];
static bool (*polls[TRANSPORTS])(int lane, struct arrival *arrival); /* of those that are opened */
static int poll_count;

static struct lock lanes_lock = LOCK_INIT; /* guards this; taken before any other */
static enum {
    LANES_UNTRIED,
    LANES_OPEN,
    LANES_REFUSED
} lanes;

/* auto: what reaches everybody fastest, and nothing else is opened. */
static bool is_wanted(const struct transport *transport)
{
    int64_t choice = hint_process.value[HINT_TRANSPORT];

    if (transport == &shm_transport)
        return choice != TRANSPORT_OFI;
    if (transport == &ofi_transport)
        return choice == TRANSPORT_OFI ? boot.size > 1 : choice == TRANSPORT_AUTO && !boot.all_local;
    return true;
}

int net_open(void)
{
    net_peers[0] = calloc((size_t)boot.size + CARD_GUESTS, sizeof **net_peers); /* pages exist once touched */
    if (!net_peers[0])
        return fail(MPI_ERR_NO_MEM, "no memory for the table of %d peers", boot.size);
    progress_set_crowd(boot.local_size, (int)sysconf(_SC_NPROCESSORS_ONLN));
    for (int i = 0; i < TRANSPORTS; i++) {
        int error;

        if (!is_wanted(transports[i]))
            continue;
        error = transports[i]->open();
        if (error) {
            net_close();
            return error;
        }
        opened[i] = true;
        polls[poll_count++] = transports[i]->poll;
    }
    return MPI_SUCCESS;
}

static void free_peers(int lane)
{
    struct peer **peers = net_peers[lane];

    for (int i = 0; peers && i < (lane ? boot.size : card_end()); i++) {
        if (peers[i])
            free(peers[i]->notes);
        free(peers[i]);
    }
    free(peers);
    net_peers[lane] = NULL;
}

void net_close(void)
{
    for (int i = TRANSPORTS - 1; i >= 0; i--) { /* ofi sleeps where shm does */
        if (opened[i])
            transports[i]->close();
        opened[i] = false;
    }
    poll_count = 0;
    for (int lane = 0; lane < NET_LANES; lane++)
        free_peers(lane);
    lanes = LANES_UNTRIED;
}

static int open_lanes(void)
{
    for (int lane = 1; lane < NET_LANES; lane++) {
        net_peers[lane] = calloc((size_t)boot.size, sizeof **net_peers);
        if (!net_peers[lane])
            return fail(MPI_ERR_NO_MEM, "no memory for another table of %d peers", boot.size);
    }
    for (int i = 0; i < TRANSPORTS; i++) {
        int error = MPI_SUCCESS;

        if (opened[i])
            error = transports[i]->open_lanes ? transports[i]->open_lanes() : MPI_ERR_UNSUPPORTED_OPERATION;
        if (error)
            return error;
    }
    return MPI_SUCCESS;
}

bool net_open_lanes(void)
{
    bool are_open;

    lock_take(&lanes_lock);
    if (lanes == LANES_UNTRIED)
        lanes = open_lanes() ? LANES_REFUSED : LANES_OPEN;
    are_open = lanes == LANES_OPEN;
    lock_release(&lanes_lock);
    return are_open;
}

bool net_has_sent_all(void)
{
    bool all = true;

    for (int i = 0; i < TRANSPORTS; i++)
        if (opened[i] && transports[i]->has_sent_all)
            all = transports[i]->has_sent_all() && all;
    return all;
}

bool net_ends_together(void)
{
    bool spans_hosts = false;

    for (int i = 0; i < TRANSPORTS; i++)
        spans_hosts = spans_hosts || (opened[i] && transports[i] == &ofi_transport);
    for (int i = 0; spans_hosts && i < card_end(); i++)
        if (net_peers[0][i] && net_peers[0][i]->lost)
            return false;
    return spans_hosts;
}

int net_admit(void)
{
    int error = MPI_SUCCESS;
    bool admits = false;

    for (int i = 0; !error && i < TRANSPORTS; i++)
        if (opened[i] && transports[i]->admit) {
            error = transports[i]->admit();
            admits = true;
        }
    if (error || admits)
        return error;
    return fail(MPI_ERR_UNSUPPORTED_OPERATION,
                "processes of other jobs are met in shared memory only: INKLING_TRANSPORT must not be ofi");
}

static const struct transport *find_transport(int process)
{
    for (int i = 0; i < TRANSPORTS; i++)
        if (opened[i] && transports[i]->reaches(process))
            return transports[i];
    return NULL;
}

struct peer *net_connect(int lane, int process)
{
    const struct transport *transport = find_transport(process);
    struct peer *peer;

    if (!transport && process >= boot.size) {
        fail(MPI_ERR_UNSUPPORTED_OPERATION,
             "rank %d of another job is on another host; jobs can meet on one host only",
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
    net_peers[lane][process] = peer;
    return peer;
}

bool net_poll(int lane, struct arrival *arrival)
{
    for (int i = poll_count - 1; i >= 0; i--)
        if (polls[i](lane, arrival))
            return true;
    return false;
}

void net_release(const struct arrival *arrival)
{
    arrival->from->transport->release(arrival->from->lane);
}
