#include "win/win_network.h"

#include "coll/coll.h"
#include "metric/metric.h"
#include "p2p/exposed.h"
#include "p2p/lane.h"
#include "win/agent.h"

#include <stdlib.h>

enum {
    NETWORK_PIECES = 16 /* of one operation: the agent packs what has more */
};

struct win_network {
    const struct transport *transport;
    struct memory_region *mr; /* this rank's segment */
    struct exposed of[];      /* those of all, by rank */
};

/* That of the first rank whose transport exposes memory; NULL: there is none. */
static const struct transport *find_network(const struct win *win)
{
    for (int r = 0; r < win->size; r++) {
        const struct transport *transport = net_transport(win->comm->process[r]);

        if (transport && transport->write)
            return transport;
    }
    return NULL;
}

/* In place of an empty segment, a byte tells whether one could be exposed. */
static struct memory_region *expose_mine(const struct win *win, const struct transport *transport,
                                         struct exposed *mine)
{
    static char instead;
    void *memory = win->mine.bytes ? (void *)(uintptr_t)win->mine.address : &instead;
    size_t bytes = win->mine.bytes ? (size_t)win->mine.bytes : sizeof instead;

    return transport->expose(memory, bytes, EXPOSED_WINDOW, mine);
}

/* NULL: there is no memory. */
static struct win_network *win_network_new(const struct win *win, const struct transport *transport,
                                           struct memory_region *mr, const struct exposed *mine)
{
    struct win_network *n = calloc(1, sizeof *n + (size_t)win->size * sizeof n->of[0]);

    if (!n)
        return NULL;
    n->transport = transport;
    n->mr = mr;
    n->of[win->rank] = *mine;
    return n;
}

bool win_network_offer(struct win *win)
{
    const struct transport *transport;
    struct memory_region *mr = NULL;
    struct exposed mine;

    if (win->flavor == MPI_WIN_FLAVOR_DYNAMIC || kind_set_has_device(hint_buffer_kinds(&win->hints)))
        return false;
    lane_take(&lanes[0]);
    transport = find_network(win);
    if (transport)
        mr = expose_mine(win, transport, &mine);
    if (mr)
        win->network = win_network_new(win, transport, mr, &mine);
    if (mr && !win->network)
        transport->conceal(mr);
    lane_release(&lanes[0]);
    return win->network != NULL;
}

int win_network_open(struct win *win, bool all)
{
    struct exposed mine;

    if (!all) {
        win_network_close(win);
        return MPI_SUCCESS;
    }
    mine = win->network->of[win->rank];
    return coll_allgather_bytes(win->comm, &mine, win->network->of, sizeof mine);
}

void win_network_close(struct win *win)
{
    if (!win->network)
        return;
    lane_take(&lanes[0]);
    win->network->transport->conceal(win->network->mr);
    lane_release(&lanes[0]);
    free(win->network);
    win->network = NULL;
}

/* Runs of items from byte `from` on, as target_runs. */
static struct runs origin_runs(const struct user_buffer *b, size_t from, size_t bytes)
{
    if (b->type->dense)
        return (struct runs){(char *)b->at + from, (MPI_Count)(bytes - from), 1, 0};
    return layout_runs(&b->type->items, b->at, (MPI_Count)from);
}

/* What is in one run on both sides. Returns how many pieces that makes; 0: more than there is room for. */
static int network_list(const struct target *t, const struct user_buffer *origin, size_t bytes, uint64_t base,
                        struct exposed_piece *piece)
{
    int n = 0;

    for (size_t at = 0, end; at < bytes; at = end) {
        struct runs there = target_runs(t, (void *)(uintptr_t)t->address, at, bytes);
        struct runs here = origin_runs(origin, at, bytes);
        MPI_Count run = there.bytes < here.bytes ? there.bytes : here.bytes;

        end = (size_t)run < bytes - at ? at + (size_t)run : bytes;
        if (n == NETWORK_PIECES)
            return 0;
        piece[n++] = (struct exposed_piece){here.at, (uint64_t)(uintptr_t)there.at - base, end - at};
    }
    return n;
}

int win_network_copy(const struct target *t, const struct user_buffer *origin, size_t bytes, bool is_put,
                     struct request **request, bool *has_begun)
{
    struct win *win = t->win;
    struct exposed_piece piece[NETWORK_PIECES];
    struct exposed_copy copy = {.comm = win->comm, .rank = t->rank, .is_put = is_put, .piece = piece};
    struct request *r = NULL;
    int error = MPI_SUCCESS;

    *has_begun = false;
    if (!win->network || kind_set_has_device(hint_buffer_kinds(&win->hints)))
        return MPI_SUCCESS;
    copy.there = &win->network->of[t->rank];
    copy.pieces = network_list(t, origin, bytes, copy.there->address, piece);
    if (copy.pieces)
        error = exposed_copy_begin(&copy, &r);
    if (error || !r)
        return error;
    *has_begun = true;
    metric_count(METRIC_RMA_NETWORK_COPIES, 1);
    return agent_keep(win, t->rank, r, request);
}
