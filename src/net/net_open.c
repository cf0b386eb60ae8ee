/* The transports there are: which of them are opened, for which processes. */
#include "net/net.h"

#include "base/lock.h"
#include "boot/boot.h"
#include "boot/host.h"
#include "hint/hint.h"
#include "net/card.h"
#include "plain/fail.h"
#include "progress/progress.h"

#include <mpi.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* In the order in which a process is offered to them. This list is all that knows transports by name. */
static const struct transport *const transports[] = {&self_transport, &shm_transport, &ofi_transport};
enum {
    TRANSPORTS = sizeof transports / sizeof transports[0]
};
_Static_assert((int)TRANSPORTS <= (int)NET_TRANSPORTS, "net.c has room for them");

/* Relaxed: net_use publishes what others use. */
static _Atomic bool opened[TRANSPORTS];
static bool spans_hosts; /* processes of this job reach each other through the network */

static struct lock lanes_lock = LOCK_INIT; /* guards this; taken before any other */
static enum lanes {
    LANES_UNTRIED,
    LANES_OPEN,
    LANES_NEAR, /* between processes of a host only */
    LANES_REFUSED
} lanes;

static bool is_opened(int transport)
{
    return atomic_load_explicit(&opened[transport], memory_order_relaxed);
}

static void note_opened(int transport, bool is)
{
    atomic_store_explicit(&opened[transport], is, memory_order_relaxed);
}

static bool is_chosen(const char *choice)
{
    char now[32];

    return hint_format(&hint_process, HINT_TRANSPORT, now, sizeof now) && strcmp(now, choice) == 0;
}

static bool net_is_wanted(const struct transport *transport)
{
    switch (transport->reach) {
    case REACH_HOST:
        return is_chosen("auto") || is_chosen(transport->name);
    case REACH_NETWORK:
        return is_chosen("auto") ? !boot.all_local : is_chosen(transport->name) && boot.size > 1;
    default:
        return true;
    }
}

uint64_t net_host(void)
{
    for (int i = 0; i < TRANSPORTS; i++)
        if (transports[i]->reach == REACH_HOST && net_is_wanted(transports[i]))
            return host_mine();
    return 0;
}

bool net_shares_host(const int *process, int count)
{
    uint64_t mine = net_host();

    for (int i = 0; mine && i < count; i++)
        if (process[i] >= boot.size ? card_of(process[i])->host != mine : host_local_rank(process[i]) < 0)
            return false;
    return mine;
}

int net_open(void)
{
    net_peers[0] = calloc((size_t)boot.size + CARD_GUESTS, sizeof **net_peers); /* pages exist once touched */
    if (!net_peers[0])
        return fail(MPI_ERR_NO_MEM, "no memory for the table of %d peers", boot.size);
    card_set_host(net_host());
    progress_set_crowd(boot.local_size, (int)sysconf(_SC_NPROCESSORS_ONLN));
    for (int i = 0; i < TRANSPORTS; i++) {
        int error;

        if (!net_is_wanted(transports[i]))
            continue;
        error = transports[i]->open();
        if (error) {
            net_close();
            return error;
        }
        note_opened(i, true);
        net_use(transports[i]);
        spans_hosts = spans_hosts || transports[i]->reach == REACH_NETWORK;
    }
    return MPI_SUCCESS;
}

static void free_peers(int lane)
{
    struct peer **peers = net_peers[lane];

    for (int i = 0; peers && i < (lane ? boot.size : card_end()); i++) {
        if (peers[i])
            free(peers[i]->sent_counts);
        free(peers[i]);
    }
    free(peers);
    net_peers[lane] = NULL;
}

void net_close(void)
{
    for (int i = TRANSPORTS - 1; i >= 0; i--) { /* networks close first: their sleepers use shared memory's */
        if (is_opened(i))
            transports[i]->close();
        note_opened(i, false);
    }
    net_use_none();
    spans_hosts = false;
    for (int lane = 0; lane < NET_LANES; lane++)
        free_peers(lane);
    lanes = LANES_UNTRIED;
}

/* Of the transports that lie in a host, or between hosts. */
static int open_lanes_of(bool is_network)
{
    for (int i = 0; i < TRANSPORTS; i++) {
        int error = MPI_SUCCESS;

        if (is_opened(i) && (transports[i]->reach == REACH_NETWORK) == is_network)
            error = transports[i]->open_lanes ? transports[i]->open_lanes() : MPI_ERR_UNSUPPORTED_OPERATION;
        if (error)
            return error;
    }
    return MPI_SUCCESS;
}

static enum lanes open_lanes(void)
{
    for (int lane = 1; lane < NET_LANES; lane++) {
        net_peers[lane] = calloc((size_t)boot.size, sizeof **net_peers);
        if (!net_peers[lane]) {
            fail(MPI_ERR_NO_MEM, "no memory for another table of %d peers", boot.size);
            return LANES_REFUSED;
        }
    }
    if (open_lanes_of(false))
        return LANES_REFUSED;
    return spans_hosts && open_lanes_of(true) ? LANES_NEAR : LANES_OPEN; /* other jobs have lane 0 */
}

bool net_open_lanes(bool is_near)
{
    bool are_open;

    lock_take(&lanes_lock);
    if (lanes == LANES_UNTRIED)
        lanes = open_lanes();
    are_open = lanes == LANES_OPEN || (is_near && lanes == LANES_NEAR);
    lock_release(&lanes_lock);
    return are_open;
}

bool net_has_sent_all(void)
{
    bool all = true;

    for (int i = 0; i < TRANSPORTS; i++)
        if (is_opened(i) && transports[i]->has_sent_all)
            all = transports[i]->has_sent_all() && all;
    return all;
}

bool net_ends_together(void)
{
    for (int i = 0; spans_hosts && i < boot.size; i++)
        if (net_peers[0][i] && net_peers[0][i]->lost)
            return false;
    return spans_hosts;
}

/* This may open the network. */
static int admit_through_network(int transport)
{
    char why[FAIL_NOTE_SIZE];

    if (!is_chosen("auto") && !is_chosen(transports[transport]->name))
        return fail(MPI_ERR_UNSUPPORTED_OPERATION,
                    "the other job is not in this host's shared memory: INKLING_TRANSPORT must not be shm");
    if (transports[transport]->admit() == MPI_SUCCESS) {
        if (!is_opened(transport))
            net_use(transports[transport]);
        note_opened(transport, true);
        return MPI_SUCCESS;
    }
    snprintf(why, sizeof why, "%s", fail_note());
    return fail(MPI_ERR_UNSUPPORTED_OPERATION, "the other job is met through the network only: %s", why);
}

int net_admit(bool through_network)
{
    int error = MPI_SUCCESS;

    for (int i = 0; !error && i < TRANSPORTS; i++)
        if (transports[i]->reach == REACH_NETWORK)
            error = through_network ? admit_through_network(i) : MPI_SUCCESS;
        else if (is_opened(i) && transports[i]->admit)
            error = transports[i]->admit();
    return error;
}
