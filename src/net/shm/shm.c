/* shm: the transport between processes of one host. See link.h for the way to a peer, home.h for the own memory;
 * here is what comes in. */
#include "base/fail.h"
#include "boot/boot.h"
#include "boot/host.h"
#include "hint/hint.h"
#include "net/card.h"
#include "net/net.h"
#include "net/shm/bell.h"
#include "net/shm/door.h"
#include "net/shm/home.h"
#include "progress/progress.h"

#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum {
    WATCH_LIMIT = 64, /* rings polled at once; beyond it the idle ones wait for their doorbell again */
    IDLE_POLLS = 4096 /* polls without a message that make a ring idle */
};

/* A ring that is polled. */
struct watch {
    struct ring ring;
    struct peer *from;
    int seat;
    uint64_t last_poll;    /* number of the poll that last found a message */
    struct message staged; /* the message that is out, if its payload lies in a chunk */
};

static struct ring *readers; /* by seat; where each ring stands while it is not watched; guests: when known */
static struct watch watch[WATCH_LIMIT];
static int watch_count, watch_next;           /* watch_next: where the next poll begins */
static struct watch *arrived;                 /* where the arrival that is out came from; NULL: it is a loss ... */
static const struct message *arrived_message; /* ... and itself */
static struct link_to *lost;                  /* ... and whose */
static uint64_t polls;

static int process_of(int local_rank)
{
    return boot.local ? boot.local[local_rank] : local_rank;
}

/* -1: not on this host. */
static int local_rank_of(int process)
{
    if (!boot.local)
        return process < boot.local_size ? process : -1;
    for (int i = 0; i < boot.local_size; i++)
        if (boot.local[i] == process)
            return i;
    return -1;
}

static bool is_guest(int process)
{
    return process >= boot.size;
}

/* Where the peer's messages come in; -1: it has not asked for a seat. */
static int seat_of(const struct peer *peer)
{
    return is_guest(peer->process) ? door_seat_of(card_of(peer->process)) : local_rank_of(peer->process);
}

static int open_readers(void)
{
    const struct house *house = &home.site.house;

    readers = calloc((size_t)house_seats(house), sizeof *readers);
    if (!readers)
        return fail(MPI_ERR_NO_MEM, "no memory for %d rings", house_seats(house));
    for (int i = 0; i < house->local_size; i++)
        ring_init(&readers[i], home.mine.rings + (size_t)i * house->ring_size, house->ring_size,
                  &home.mine.control[i]);
    return MPI_SUCCESS;
}

static void close_memory(void)
{
    home_close();
    free(readers);
    readers = NULL;
    watch_count = watch_next = 0;
}

static int open_memory(void)
{
    int error = home_open();

    if (!error)
        error = open_readers();
    if (error)
        close_memory();
    return error;
}

static int shm_open(void)
{
    if (boot.local_size > ARENA_LOCAL_MAX)
        return fail(MPI_ERR_OTHER, "%d processes on one host are more than %d", boot.local_size,
                    ARENA_LOCAL_MAX);
    return boot.size == 1 ? MPI_SUCCESS : open_memory(); /* who is alone needs none, see shm_admit */
}

static int shm_admit(void)
{
    int error = home_is_open() ? MPI_SUCCESS : open_memory();

    return error ? error : door_open(&home.site.house);
}

static void shm_close(void)
{
    progress_set_sleeper(NULL);
    door_close();
    for (int i = 0; net_peers && i < card_end(); i++) {
        struct peer *peer = net_peers[i] && net_peers[i]->transport == &shm_transport ? net_peers[i] : NULL;

        if (!peer)
            continue;
        if (peer->mine)
            board_clear(peer->mine);
        link_close(peer->link);
        free(peer->link);
    }
    close_memory();
}

static bool shm_reaches(int process)
{
    if (is_guest(process))
        return door_is_open() && card_of(process)->host == host_mine();
    return home_is_open() && local_rank_of(process) >= 0;
}

/* What a guest has sent before its end can still be read. */
static int connect_guest(const struct card *card, struct link_to **l)
{
    struct welcome welcome;
    struct site *site;
    int error = door_visit(card, &welcome);

    if (error == MPI_ERR_PROC_ABORTED && door_seat_of(card) >= 0)
        return link_open_gone(l);
    if (!error)
        error = site_enter(card->job, &welcome.house, &site);
    return error ? error : link_open(site, card->local_rank, welcome.seat, l);
}

static int shm_connect(struct peer *peer)
{
    struct link_to *l;
    int local_rank, error;

    if (is_guest(peer->process)) {
        error = connect_guest(card_of(peer->process), &l);
    } else {
        local_rank = local_rank_of(peer->process);
        error = link_open(&home.site, local_rank, boot.local_rank, &l);
        if (!error)
            peer->mine = &home.mine.board[local_rank];
    }
    if (error)
        return error;
    peer->link = l;
    peer->theirs = l->arena.board;
    return MPI_SUCCESS;
}

static const struct transport_limits *shm_limits(const struct peer *peer)
{
    return &((const struct link_to *)peer->link)->site->limits;
}

static bool shm_send(struct peer *peer, const struct message *message, const void *payload)
{
    return link_send(peer->link, message, payload);
}

/* Stops watching the rings that have been silent for so many polls. One that filled up meanwhile is watched
 * again.
 */
static void unwatch_silent(uint64_t silence)
{
    int kept = 0;
    bool ordered;

    for (int i = 0; i < watch_count; i++)
        if (polls - watch[i].last_poll > silence)
            atomic_store_explicit(&watch[i].ring.control->watched, 0, memory_order_relaxed);
    ordered = bell_order(home.mine.head);
    for (int i = 0; i < watch_count; i++) {
        struct watch *w = &watch[i];

        if (ordered && !atomic_load_explicit(&w->ring.control->watched, memory_order_relaxed) &&
            !ring_peek(&w->ring)) {
            readers[w->seat] = w->ring;
            continue;
        }
        atomic_store_explicit(&w->ring.control->watched, 1, memory_order_relaxed);
        watch[kept++] = *w;
    }
    watch_count = kept;
    watch_next = 0;
}

/* Makes a place if any watched ring is empty now: who finds none has messages to take in, and will not go to
 * sleep over the ring that asks. */
static void make_place(void)
{
    for (uint64_t silence = IDLE_POLLS; watch_count == WATCH_LIMIT && silence; silence /= 16)
        unwatch_silent(silence - 1);
}

/* The peer whose ring is that of this seat, made ready to be read; NULL: there is none, or it cannot be. */
static struct peer *open_seat(int seat, const struct card *guest)
{
    const struct house *house = &home.site.house;
    int number = guest ? card_number(guest) : process_of(seat);
    void *at;

    if (!readers[seat].base) {
        at = arena_map_guest(house, boot.local_rank, seat);
        if (!at)
            return NULL;
        ring_init(&readers[seat], at, house->ring_size, &home.mine.control[seat]);
        home_count_guests();
    }
    return number < 0 ? NULL : net_peer(number);
}

/* False when there is no place; the doorbell bit then stays for a later poll. */
static bool watch_ring(int seat)
{
    bool is_guests = seat >= boot.local_size;
    struct card guest;
    struct peer *from;

    if (atomic_load_explicit(&home.mine.control[seat].watched, memory_order_relaxed) ||
        (is_guests && !door_guest(seat, &guest)))
        return true;
    make_place();
    from = watch_count < WATCH_LIMIT ? open_seat(seat, is_guests ? &guest : NULL) : NULL;
    if (!from)
        return false;
    watch[watch_count++] =
        (struct watch){.ring = readers[seat], .from = from, .seat = seat, .last_poll = polls};
    atomic_store_explicit(&home.mine.control[seat].watched, 1, memory_order_relaxed);
    return true;
}

static void answer_word(int word)
{
    _Atomic uint64_t *doorbell = &home.mine.head->doorbell[word];
    uint64_t bits = atomic_load_explicit(doorbell, memory_order_relaxed)
                        ? atomic_exchange_explicit(doorbell, 0, memory_order_acquire)
                        : 0;

    while (bits) {
        int bit = __builtin_ctzll(bits);

        bits &= bits - 1;
        if (!watch_ring(word * 64 + bit)) {
            atomic_fetch_or_explicit(doorbell, (uint64_t)1 << bit, memory_order_relaxed);
            atomic_store_explicit(&home.mine.head->rung, 1, memory_order_relaxed);
        }
    }
}

static void answer_doorbell(void)
{
    /* acquire: pairs with the release in set_doorbell (bell.c); cleared before the bits are read */
    atomic_exchange_explicit(&home.mine.head->rung, 0, memory_order_acq_rel);
    for (int word = 0; word * 64 < house_seats(&home.site.house); word++)
        answer_word(word);
}

/* What a staged message stands for; one that names no chunk is empty. */
static void open_staged(struct watch *w, struct arrival *a)
{
    struct staged staged;
    const void *payload;

    memcpy(&staged, a->payload, sizeof staged);
    payload = staging_payload(&home.staging, &staged);
    w->staged = *a->message;
    w->staged.kind &= (uint8_t)~STAGED;
    w->staged.length = payload ? staged.length : 0;
    *a = (struct arrival){&w->staged, payload, w->from};
}

static struct watch *find_watch(int seat)
{
    for (int i = 0; i < watch_count; i++)
        if (watch[i].seat == seat)
            return &watch[i];
    return NULL;
}

/* Whether all that was sent from this seat has been taken in. */
static bool is_read(int seat)
{
    const struct watch *w = watch_ring(seat) ? find_watch(seat) : NULL;

    return w && !ring_peek(&w->ring);
}

/* Its last message has been read. */
static void see_off_guest(int seat)
{
    struct watch *w = find_watch(seat);

    *w = watch[--watch_count];
    watch_next = 0;
    arena_clear_guest(&home.site.house, boot.local_rank, &home.mine, seat, readers[seat].base);
    readers[seat] = (struct ring){0};
    door_free_seat(seat);
    home_count_guests();
}

/* Tells of a process of another job that has ended, after its last message. */
static bool take_loss(struct arrival *arrival)
{
    struct loss loss;

    while (door_look_lost(&loss)) {
        int seat = loss.seat >= 0 ? loss.seat : door_seat_of(&loss.card), process = card_number(&loss.card);
        struct peer *peer;

        if (seat >= 0 && !is_read(seat))
            return false;
        if (loss.seat >= 0)
            see_off_guest(loss.seat);
        door_take_lost();
        peer = process < 0 ? NULL : net_peers[process];
        if (!peer || peer->lost || door_seat_of(&loss.card) >= 0)
            continue;
        arrived = NULL;
        lost = peer->link;
        *arrival = (struct arrival){NULL, "it has ended", peer};
        return true;
    }
    return false;
}

static bool shm_poll(struct arrival *arrival)
{
    if (!home_is_open())
        return false;
    polls++;
    if (atomic_load_explicit(&home.mine.head->rung, memory_order_relaxed))
        answer_doorbell();
    for (int n = 0; n < watch_count; n++) {
        struct watch *w = &watch[watch_next];
        const struct message *m = ring_peek(&w->ring);

        if (++watch_next >= watch_count)
            watch_next = 0;
        if (!m)
            continue;
        w->last_poll = polls;
        arrived = w;
        arrived_message = m;
        *arrival = (struct arrival){m, ring_payload(&w->ring, m), w->from};
        if (m->kind & STAGED)
            open_staged(w, arrival);
        return true;
    }
    return take_loss(arrival);
}

/* Of the message that is out. */
static void give_chunk(void)
{
    struct staged staged;

    memcpy(&staged, ring_payload(&arrived->ring, arrived_message), sizeof staged);
    if (staging_payload(&home.staging, &staged))
        staging_give(&home.staging, staged.chunk);
}

static void shm_release(void)
{
    if (!arrived) {
        link_close(lost);
        return;
    }
    if (arrived_message->kind & STAGED)
        give_chunk();
    ring_consume(&arrived->ring, arrived_message);
}

static uint64_t shm_sent(struct peer *peer)
{
    return ((struct link_to *)peer->link)->ring.cell;
}

static uint64_t shm_taken(struct peer *peer)
{
    for (int i = 0; i < watch_count; i++)
        if (watch[i].from == peer)
            return watch[i].ring.cell;
    return readers[local_rank_of(peer->process)].cell;
}

static void *shm_map(struct peer *peer, uint64_t address, size_t bytes)
{
    return link_map(peer->link, address, bytes);
}

static void shm_nudge(struct peer *peer)
{
    const struct link_to *l = peer->link;

    if (!l->is_gone)
        bell_nudge(l->arena.head);
}

static int shm_get(struct peer *peer, void *to, uint64_t address, size_t bytes)
{
    return link_get(peer->link, to, address, bytes);
}

static int shm_put(struct peer *peer, const void *from, uint64_t address, size_t bytes)
{
    return link_put(peer->link, from, address, bytes);
}

static void *shm_line(struct peer *peer, bool incoming)
{
    const struct link_to *l = peer->link;
    int seat = incoming ? seat_of(peer) : -1;

    if (incoming)
        return seat < 0 ? NULL : home.mine.control[seat].line;
    return l->is_gone ? NULL : l->ring.control->line;
}

const struct transport shm_transport = {
    .name = "shm",
    .open = shm_open,
    .close = shm_close,
    .admit = shm_admit,
    .reaches = shm_reaches,
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
    .line = shm_line,
};
