/* shm: the transport between processes of one host. local.h: this process's memory; link.h: links to other
 * processes; watch.h: incoming messages; attach.h: processes of other jobs. */
#include "base/lock.h"
#include "boot/boot.h"
#include "boot/host.h"
#include "net/card.h"
#include "net/net.h"
#include "net/shm/attach.h"
#include "net/shm/bell.h"
#include "net/shm/deaths.h"
#include "net/shm/local.h"
#include "net/shm/neighbours.h"
#include "plain/fail.h"

#include <mpi.h>
#include <stdlib.h>

static struct lock remotes_lock = LOCK_INIT; /* guards `remotes` */
static struct link_remote **remotes;         /* by local rank; NULL: not used yet */
static struct link_lane *lost; /* link whose loss is the current arrival of lane 0; NULL: it is a message */

static bool shm_is_guest(int process)
{
    return process >= boot.size;
}

/* The slot of the peer's incoming messages; -1: it has not attached. */
static int shm_slot_of(const struct peer *peer)
{
    return shm_is_guest(peer->process) ? attach_slot_of(card_of(peer->process))
                                       : ((const struct link_lane *)peer->link)->remote->local_rank;
}

static int shm_open_memory(void)
{
    int error;

    remotes = calloc((size_t)boot.local_size, sizeof *remotes);
    if (!remotes)
        return fail(MPI_ERR_NO_MEM, "no memory for %d processes of this host", boot.local_size);
    error = local_open();
    if (!error) {
        error = neighbours_open();
        if (error) {
            neighbours_close();
            local_close();
        }
    }
    if (error) {
        free(remotes);
        remotes = NULL;
    }
    return error;
}

static int shm_open(void)
{
    if (boot.local_size > ARENA_LOCAL_MAX)
        return fail(MPI_ERR_OTHER, "%d processes on one host are more than %d", boot.local_size,
                    ARENA_LOCAL_MAX);
    if (boot.size == 1 &&
        !net_survives()) /* a single process has none before shm_admit, unless it agrees with itself */
        return MPI_SUCCESS;
    return shm_open_memory();
}

static int shm_admit(void)
{
    int error = local.head ? MPI_SUCCESS : shm_open_memory();

    return error ? error : attach_open(&local.segment.plan);
}

static int shm_open_lanes(void)
{
    return local_open_lanes();
}

static void close_peer(struct peer *peer)
{
    struct link_lane *l = peer->link;

    if (peer->own_adverts)
        advert_clear(peer->own_adverts);
    link_close(l, peer->lane);
    if (shm_is_guest(peer->process)) {
        link_remote_close(l->remote);
        free(l->remote);
    }
    free(l);
}

static void shm_close(void)
{
    neighbours_close();
    attach_close();
    for (int lane = 0; lane < NET_LANES; lane++)
        for (int i = 0; net_peers[lane] && i < (lane ? boot.size : card_end()); i++)
            if (net_peers[lane][i] && net_peers[lane][i]->transport == &shm_transport)
                close_peer(net_peers[lane][i]);
    for (int i = 0; remotes && i < boot.local_size; i++) {
        if (remotes[i])
            link_remote_close(remotes[i]);
        if (remotes[i] && hint_process.value[HINT_SURVIVE])
            link_remote_hold(remotes[i], -1);
        free(remotes[i]);
    }
    free(remotes);
    remotes = NULL;
    local_close();
}

static bool shm_reaches(int process)
{
    if (shm_is_guest(process))
        return attach_is_open() && card_of(process)->host == host_mine();
    return local.head && host_local_rank(process) >= 0;
}

static int find_remote(int local_rank, struct link_remote **remote)
{
    bool survives = hint_process.value[HINT_SURVIVE];
    int error = MPI_SUCCESS;

    lock_take(&remotes_lock);
    if (!remotes[local_rank])
        error = link_remote_open(&local.segment, local_rank, boot.local_rank, &remotes[local_rank]);
    if (!error && survives && !remotes[local_rank]->holders)
        link_remote_hold(remotes[local_rank], 1); /* what is mapped of the dead stays until shm_close */
    *remote = remotes[local_rank];
    lock_release(&remotes_lock);
    return error;
}

/* A guest that has ended gets a remote without memory: what it sent before can still be received. */
static int find_remote_of_guest(const struct card *card, struct link_remote **remote)
{
    struct attach_reply reply;
    struct link_segment *segment;
    int error = attach_to(card, &reply);

    if (error == net_loss_class() && attach_slot_of(card) >= 0)
        return link_remote_open_gone(remote);
    if (!error)
        error = link_segment_enter(card->job, &reply.plan, &segment);
    return error ? error : link_remote_open(segment, card->local_rank, reply.slot, remote);
}

static int shm_connect(struct peer *peer)
{
    int local_rank = shm_is_guest(peer->process) ? -1 : host_local_rank(peer->process), error;
    struct link_lane *l = calloc(1, sizeof *l);
    struct link_remote *remote;

    if (!l)
        return fail(MPI_ERR_NO_MEM, "no memory for the link to process %d", peer->process);
    error = local_rank < 0 ? find_remote_of_guest(card_of(peer->process), &remote)
                           : find_remote(local_rank, &remote);
    if (!error)
        error = link_open(remote, peer->lane, l);
    if (error) {
        free(l);
        return error;
    }
    peer->link = l;
    if (local_rank >= 0)
        peer->own_adverts = &local.watchers[peer->lane].arena.adverts[local_rank];
    peer->peer_adverts = l->arena.adverts;
    if (local_rank < 0)
        local_count_guests();
    return MPI_SUCCESS;
}

static struct link_remote *link_remote_of(const struct peer *peer)
{
    return ((const struct link_lane *)peer->link)->remote;
}

static const struct transport_limits *shm_limits(const struct peer *peer)
{
    return &link_remote_of(peer)->segment->limits;
}

static bool shm_send(struct peer *peer, const struct message *message, const void *payload)
{
    return link_send(peer->link, message, payload);
}

/* Handles a connection that has closed. False: nothing to report. Messages of the process may still come
 * through another connection, or no peer waits for it. */
static bool take_in_loss(const struct attach_loss *loss, struct arrival *arrival)
{
    int process = card_number(&loss->card);
    struct peer *peer = process < 0 ? NULL : net_peers[0][process];

    if (loss->slot >= 0) {
        watch_see_off(&local.watchers[0], loss->slot);
        attach_free_slot(loss->slot);
        local_count_guests();
    }
    if (!peer || peer->lost || attach_slot_of(&loss->card) >= 0)
        return false;
    lost = peer->link;
    *arrival = (struct arrival){NULL, "it has ended", peer};
    return true;
}

/* Reports a process of this job that has died, after its last message. Without memory for its peer it is reported later. */
static bool poll_deaths(struct arrival *arrival)
{
    int dead = deaths_look();
    struct peer *peer;

    if (dead < 0 || !watch_has_all(&local.watchers[0], dead))
        return false;
    peer = net_peer(0, boot.local ? boot.local[dead] : dead);
    if (!peer)
        return false;
    deaths_take(dead);
    lost = peer->link;
    *arrival = (struct arrival){NULL, "it has died", peer};
    return true;
}

/* Reports a process that has ended, of another job or of this one, after its last message. */
__attribute__((noinline)) static bool poll_losses(struct arrival *arrival)
{
    struct attach_loss loss;

    while (attach_look_lost(&loss)) {
        int slot = loss.slot >= 0 ? loss.slot : attach_slot_of(&loss.card);

        if (slot >= 0 && !watch_has_all(&local.watchers[0], slot))
            return false;
        attach_take_lost(&loss);
        if (take_in_loss(&loss, arrival))
            return true;
    }
    return poll_deaths(arrival);
}

static bool shm_poll(int lane, struct arrival *arrival)
{
    return watch_poll(&local.watchers[lane], arrival) ||
           (lane == 0 && attach_has_lost() && poll_losses(arrival));
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
        watch_release(&local.watchers[lane]);
}

static uint64_t shm_sent(struct peer *peer)
{
    return ((struct link_lane *)peer->link)->ring.cell;
}

static uint64_t shm_taken(struct peer *peer)
{
    return watch_taken(&local.watchers[peer->lane], link_remote_of(peer)->local_rank);
}

static void *shm_map(struct peer *peer, uint64_t address, size_t bytes)
{
    return link_remote_map(link_remote_of(peer), address, bytes);
}

static void shm_hold(struct peer *peer, int change)
{
    link_remote_hold(link_remote_of(peer), change);
}

static void shm_nudge(struct peer *peer)
{
    struct arena_head *head = ((struct link_lane *)peer->link)->head;

    if (head)
        bell_nudge(head);
}

/* Others have lost it, so it is not to go on here either. */
static void shm_give_up(struct peer *peer, const char *why)
{
    (void)why;
    neighbours_end(host_local_rank(peer->process));
}

static const _Atomic uint32_t *shm_attention(struct peer *peer)
{
    struct arena_head *head = ((struct link_lane *)peer->link)->head;

    return head ? &head->attention : NULL;
}

static int shm_copy(struct peer *peer, bool is_put, struct iovec *here, int pieces, struct iovec *there,
                    int pieces_there)
{
    return link_remote_copy(link_remote_of(peer), is_put, here, pieces, there, pieces_there);
}

static void *shm_line(struct peer *peer, bool incoming)
{
    const struct link_lane *l = peer->link;
    int slot;

    if (!incoming)
        return l->head ? l->ring.control->line : NULL;
    slot = shm_slot_of(peer);
    return slot < 0 ? NULL : local.watchers[peer->lane].arena.control[slot].line;
}

const struct transport shm_transport = {
    .name = "shm",
    .reach = REACH_HOST,
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
    .hold = shm_hold,
    .copy = shm_copy,
    .nudge = shm_nudge,
    .give_up = shm_give_up,
    .attention = shm_attention,
    .line = shm_line,
};
