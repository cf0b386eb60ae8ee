/* shm: the transport between processes of one host. See home.h for the own memory, link.h for the way to
 * others, watch.h for what comes in, door.h for processes of other jobs. */
#include "base/fail.h"
#include "base/lock.h"
#include "boot/boot.h"
#include "boot/host.h"
#include "net/card.h"
#include "net/net.h"
#include "net/shm/bell.h"
#include "net/shm/door.h"
#include "net/shm/home.h"

#include <mpi.h>
#include <stdlib.h>

static struct lock ways_lock = LOCK_INIT; /* guards `ways` */
static struct way **ways;                 /* by local rank; NULL: not used yet */
static struct link_to *lost; /* the arrival of lane 0 that is out is the loss of this; NULL: it is none */

static bool is_guest(int process)
{
    return process >= boot.size;
}

/* Where the peer's messages come in; -1: it has not asked for a seat. */
static int seat_of(const struct peer *peer)
{
    return is_guest(peer->process) ? door_seat_of(card_of(peer->process))
                                   : ((const struct link_to *)peer->link)->way->local_rank;
}

static int open_memory(void)
{
    int error;

    ways = calloc((size_t)boot.local_size, sizeof *ways);
    if (!ways)
        return fail(MPI_ERR_NO_MEM, "no memory for the ways to %d processes", boot.local_size);
    error = home_open();
    if (error) {
        free(ways);
        ways = NULL;
    }
    return error;
}

static int shm_open(void)
{
    if (boot.local_size > ARENA_LOCAL_MAX)
        return fail(MPI_ERR_OTHER, "%d processes on one host are more than %d", boot.local_size,
                    ARENA_LOCAL_MAX);
    return boot.size == 1 ? MPI_SUCCESS : open_memory(); /* who is alone needs none, until shm_admit */
}

static int shm_admit(void)
{
    int error = home.head ? MPI_SUCCESS : open_memory();

    return error ? error : door_open(&home.site.plan);
}

static int shm_open_lanes(void)
{
    return home_open_lanes();
}

static void close_peer(struct peer *peer)
{
    struct link_to *l = peer->link;

    if (peer->own_adverts)
        advert_clear(peer->own_adverts);
    link_close(l, peer->lane);
    if (is_guest(peer->process)) {
        way_close(l->way);
        free(l->way);
    }
    free(l);
}

static void shm_close(void)
{
    door_close();
    for (int lane = 0; lane < NET_LANES; lane++)
        for (int i = 0; net_peers[lane] && i < (lane ? boot.size : card_end()); i++)
            if (net_peers[lane][i] && net_peers[lane][i]->transport == &shm_transport)
                close_peer(net_peers[lane][i]);
    for (int i = 0; ways && i < boot.local_size; i++) {
        if (ways[i])
            way_close(ways[i]);
        free(ways[i]);
    }
    free(ways);
    ways = NULL;
    home_close();
}

static bool shm_reaches(int process)
{
    if (is_guest(process))
        return door_is_open() && card_of(process)->host == host_mine();
    return home.head && host_local_rank(process) >= 0;
}

static int find_way(int local_rank, struct way **way)
{
    int error = MPI_SUCCESS;

    lock_take(&ways_lock);
    if (!ways[local_rank])
        error = way_open(&home.site, local_rank, boot.local_rank, &ways[local_rank]);
    *way = ways[local_rank];
    lock_release(&ways_lock);
    return error;
}

/* What a guest has sent before its end can still be read. */
static int find_way_to_guest(const struct card *card, struct way **way)
{
    struct welcome welcome;
    struct site *site;
    int error = door_visit(card, &welcome);

    if (error == MPI_ERR_PROC_ABORTED && door_seat_of(card) >= 0)
        return way_open_gone(way);
    if (!error)
        error = site_enter(card->job, &welcome.plan, &site);
    return error ? error : way_open(site, card->local_rank, welcome.seat, way);
}

static int shm_connect(struct peer *peer)
{
    int local_rank = is_guest(peer->process) ? -1 : host_local_rank(peer->process), error;
    struct link_to *l = calloc(1, sizeof *l);
    struct way *way;

    if (!l)
        return fail(MPI_ERR_NO_MEM, "no memory for the link to process %d", peer->process);
    error = local_rank < 0 ? find_way_to_guest(card_of(peer->process), &way) : find_way(local_rank, &way);
    if (!error)
        error = link_open(way, peer->lane, l);
    if (error) {
        free(l);
        return error;
    }
    peer->link = l;
    if (local_rank >= 0)
        peer->own_adverts = &home.watchers[peer->lane].arena.adverts[local_rank];
    peer->peer_adverts = l->arena.adverts;
    if (local_rank < 0)
        home_count_guests();
    return MPI_SUCCESS;
}

static struct way *way_of(const struct peer *peer)
{
    return ((const struct link_to *)peer->link)->way;
}

static const struct transport_limits *shm_limits(const struct peer *peer)
{
    return &way_of(peer)->site->limits;
}

static bool shm_send(struct peer *peer, const struct message *message, const void *payload)
{
    return link_send(peer->link, message, payload);
}

/* A connection has closed. False: the process has sent more than was taken in so far, or nobody waits for it.
 */
static bool take_in_loss(const struct loss *loss, struct arrival *arrival)
{
    int process = card_number(&loss->card);
    struct peer *peer = process < 0 ? NULL : net_peers[0][process];

    if (loss->seat >= 0) {
        watch_see_off(&home.watchers[0], loss->seat);
        door_free_seat(loss->seat);
        home_count_guests();
    }
    if (!peer || peer->lost || door_seat_of(&loss->card) >= 0)
        return false;
    lost = peer->link;
    *arrival = (struct arrival){NULL, "it has ended", peer};
    return true;
}

/* Tells of a process of another job that has ended, after its last message. */
__attribute__((noinline)) static bool poll_losses(struct arrival *arrival)
{
    struct loss loss;

    while (door_look_lost(&loss)) {
        int seat = loss.seat >= 0 ? loss.seat : door_seat_of(&loss.card);

        if (seat >= 0 && !watch_has_all(&home.watchers[0], seat))
            return false;
        door_take_lost(&loss);
        if (take_in_loss(&loss, arrival))
            return true;
    }
    return false;
}

static bool shm_poll(int lane, struct arrival *arrival)
{
    return watch_poll(&home.watchers[lane], arrival) ||
           (lane == 0 && door_has_lost() && poll_losses(arrival));
}

__attribute__((noinline)) static void release_loss(void)
{
    link_lose(lost);
    lost = NULL;
}

static void shm_release(int lane)
{
    if (lane == 0 && __builtin_expect(lost != NULL, 0))
        release_loss();
    else
        watch_release(&home.watchers[lane]);
}

static uint64_t shm_sent(struct peer *peer)
{
    return ((struct link_to *)peer->link)->ring.cell;
}

static uint64_t shm_taken(struct peer *peer)
{
    return watch_taken(&home.watchers[peer->lane], way_of(peer)->local_rank);
}

static void *shm_map(struct peer *peer, uint64_t address, size_t bytes)
{
    return way_map(way_of(peer), address, bytes);
}

static void shm_nudge(struct peer *peer)
{
    struct arena_head *head = ((struct link_to *)peer->link)->head;

    if (head)
        bell_nudge(head);
}

static const _Atomic uint32_t *shm_attention(struct peer *peer)
{
    struct arena_head *head = ((struct link_to *)peer->link)->head;

    return head ? &head->attention : NULL;
}

static int shm_get(struct peer *peer, struct iovec *to, int pieces, uint64_t address)
{
    return way_get(way_of(peer), to, pieces, address);
}

static int shm_put(struct peer *peer, const void *from, uint64_t address, size_t bytes)
{
    return way_put(way_of(peer), from, address, bytes);
}

static void *shm_line(struct peer *peer, bool incoming)
{
    const struct link_to *l = peer->link;
    int seat;

    if (!incoming)
        return l->head ? l->ring.control->line : NULL;
    seat = seat_of(peer);
    return seat < 0 ? NULL : home.watchers[peer->lane].arena.control[seat].line;
}

const struct transport shm_transport = {
    .name = "shm",
    .eager_limit = HINT_EAGER_LIMIT,
    .open = shm_open,
    .close = shm_close,
    .reaches = shm_reaches,
    .admit = shm_admit,
    .open_lanes = shm_open_lanes,
    .connect = shm_connect,
    .limits = shm_limits,
    .send = shm_send,
    .poll = shm_poll,
    .release = shm_release,
    .sent = shm_sent,
    .taken = shm_taken,
    .map = shm_map,
    .get = shm_get,
    .put = shm_put,
    .nudge = shm_nudge,
    .attention = shm_attention,
    .line = shm_line,
};
