#include "net/network/network.h"

#include "base/lock.h"
#include "boot/boot.h"
#include "boot/host.h"
#include "net/card.h"
#include "net/net.h"
#include "net/network/crowd.h"
#include "net/network/heartbeat.h"
#include "net/network/proof.h"
#include "net/network/waker.h"
#include "plain/fail.h"
#include "plain/log.h"
#include "progress/progress.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct lock lock = LOCK_INIT;
static const struct network *network; /* that is open; NULL: none */
static bool reaches_job;
static struct wire_address mine;
static struct card_address on_card; /* the same for other jobs; of length 0 before network_admit */
static uint64_t job;                /* this process's, as on its card */
static bool warned;                 /* of a packet that was dropped */

static struct wire arrived;
static int sender;   /* process number of its sender; -1: an unknown process */
static bool is_ours; /* the current arrival came in no packet: end of a copy, or loss of a peer */

/* Called by a thread that is about to sleep. */
static bool network_is_quiet(void)
{
    bool quiet;

    lock_take(&lock);
    quiet = network->is_quiet();
    lock_release(&lock);
    return quiet;
}

static void format_key(char key[BOOT_KEY_SIZE], int process)
{
    snprintf(key, BOOT_KEY_SIZE, "inkling-%s-%d", network->transport->name, process);
}

/* For the other processes of this job. */
static int publish_address(void)
{
    char key[BOOT_KEY_SIZE], text[WIRE_TEXT_SIZE];
    int error = wire_address_format(&mine, text, sizeof text);

    if (error)
        return error;
    format_key(key, boot.rank);
    error = boot_put(key, text);
    return error ? error : boot_fence();
}

static void network_close_all(void)
{
    waker_close();
    network->close();
    heartbeat_close();
    network = NULL;
}

static int open_parts(void)
{
    int error = keyed_hash_open();

    job = host_hash(boot.job);
    crowd_make_room();
    if (!error)
        error = keyed_secret_make(mine.key);
    if (!error)
        error = network->open(&mine);
    if (!error)
        error = heartbeat_open(&mine);
    mine.port = heartbeat_port();
    return error ? error : waker_open(network->wait_fd(), network_is_quiet);
}

/* is_of_job: the processes of this job communicate through it. */
static int open_all(const struct network *which, bool is_of_job)
{
    int error;

    network = which;
    error = open_parts();
    if (!error && is_of_job)
        error = publish_address();
    if (error)
        network_close_all();
    else
        reaches_job = is_of_job;
    if (!error)
        hint_cap(which->transport->eager_limit, (int64_t)which->limits.message_max);
    return error;
}

int network_open(const struct network *which)
{
    return open_all(which, true);
}

static int tell_address(void)
{
    int error = MPI_SUCCESS;

    if (on_card.length == 0)
        error = wire_address_to_card(&mine, &on_card);
    if (error)
        return error;
    snprintf(on_card.owner, sizeof on_card.owner, "%s", network->transport->name);
    card_set_address(&on_card);
    return MPI_SUCCESS;
}

/* Wakes the threads that sleep: they sleep where the network does not wake them. */
int network_admit(const struct network *which)
{
    int error = network ? MPI_SUCCESS : open_all(which, false);

    if (!error)
        error = tell_address();
    if (!error)
        progress_wake();
    return error;
}

static bool is_guest(int process)
{
    return process >= boot.size;
}

bool network_reaches(int process)
{
    const struct card_address *address;

    if (!is_guest(process))
        return reaches_job && process != boot.rank;
    address = &card_of(process)->address;
    return network && address->length > 0 && strncmp(address->owner, on_card.owner, CARD_OWNER_SIZE) == 0;
}

static int find_address_of(int process, struct wire_address *address)
{
    char key[BOOT_KEY_SIZE], text[WIRE_TEXT_SIZE];
    int error;

    if (is_guest(process))
        return wire_address_of_card(card_of(process), address);
    format_key(key, process);
    error = boot_get(process, key, text, sizeof text);
    return error ? error : wire_address_parse(text, process, address);
}

static uint64_t network_job_of(int process)
{
    return is_guest(process) ? card_of(process)->job : job;
}

static int network_rank_of(int process)
{
    return is_guest(process) ? card_of(process)->rank : process;
}

/* The proof of the first packet from this process. */
static int first_proof_of(int process, uint64_t *proof)
{
    return proof_of(mine.key, PROOF_PACKET, network_job_of(process), (uint32_t)network_rank_of(process),
                    proof);
}

static int find_proofs(struct network_peer *l, const unsigned char *key)
{
    int error = proof_of(key, PROOF_PACKET, job, (uint32_t)boot.rank, &l->first_proof);

    if (!error)
        error = first_proof_of(l->process, &l->first_expected);
    l->proof = l->first_proof;
    l->expected = l->first_expected;
    return error;
}

static void lose_link(struct network_peer *l)
{
    lock_take(&lock);
    l->is_lost = true;
    network->lose(l);
    lock_release(&lock);
}

static int connect_link(struct network_peer *l)
{
    struct wire_address address;
    int error = find_address_of(l->process, &address);

    if (!error)
        error = find_proofs(l, address.key);
    if (error)
        return error;
    lock_take(&lock);
    error = network->connect(l, &address);
    lock_release(&lock);
    if (error)
        return error;
    error = heartbeat_add(l->process, network_job_of(l->process), network_rank_of(l->process), &address);
    if (error)
        lose_link(l);
    return error;
}

int network_connect(struct peer *peer)
{
    struct network_peer *l = calloc(1, network->peer_size);
    int error;

    if (!l)
        return fail(MPI_ERR_NO_MEM, "no memory for the link to process %d", peer->process);
    l->process = peer->process;
    l->is_guest = is_guest(peer->process);
    error = connect_link(l);
    if (error)
        free(l);
    else
        peer->link = l;
    return error;
}

const struct transport_limits *network_limits(const struct peer *peer)
{
    (void)peer;
    return &network->limits;
}

struct network_peer *network_link_of(int process)
{
    const struct peer *peer = net_peers[0][process];

    return peer && peer->transport == network->transport ? peer->link : NULL;
}

struct wire network_head(enum wire_kind kind, const struct message *message)
{
    return (struct wire){.version = WIRE_VERSION,
                         .kind = (uint8_t)kind,
                         .rank = (uint32_t)boot.rank,
                         .job = job,
                         .message = *message};
}

bool network_send(struct peer *peer, const struct message *message, const void *payload)
{
    struct wire head = network_head(WIRE_MESSAGE, message);
    bool sent;

    lock_take(&lock);
    sent = network->send(peer->link, &head, payload);
    lock_release(&lock);
    return sent;
}

struct memory_region *network_expose(const void *memory, size_t bytes, enum exposure exposure,
                                     struct exposed *exposed)
{
    struct memory_region *mr;

    lock_take(&lock);
    mr = network->expose(memory, bytes, exposure, exposed);
    lock_release(&lock);
    return mr;
}

void network_conceal(struct memory_region *mr)
{
    lock_take(&lock);
    network->conceal(mr);
    lock_release(&lock);
}

bool network_drain(struct peer *peer, struct memory_region *mr, const struct message *done)
{
    bool drains;

    lock_take(&lock);
    drains = network->drain(peer->link, mr, done);
    lock_release(&lock);
    return drains;
}

void network_give_up(struct peer *peer, const char *why)
{
    heartbeat_lose(peer->process, why);
    progress_wake();
}

static bool begin_copy(const struct network_copy *copy)
{
    bool begun;

    lock_take(&lock);
    begun = network->begin(copy);
    lock_release(&lock);
    return begun;
}

bool network_read(struct peer *peer, void *to, const struct exposed *from, uint64_t offset, size_t bytes,
                  const struct message *done)
{
    return begin_copy(&(struct network_copy){peer->link, false, to, from, offset, bytes, done});
}

bool network_write(struct peer *peer, const void *from, const struct exposed *to, uint64_t offset,
                   size_t bytes, const struct message *done)
{
    return begin_copy(
        &(struct network_copy){peer->link, true, (void *)(uintptr_t)from, to, offset, bytes, done});
}

void network_warn_of_tcp(const struct fabric_port *device, const char *missing)
{
    const char *name = network->transport->name;

    if (boot.local_rank > 0 || (!net_network_is_named() && strcmp(device->network, name) != 0))
        return;
    log_warn("this host has %s (%s), and messages between hosts go over tcp all the same, since %s",
             device->name, device->kind, missing);
}

void network_drop(const char *why)
{
    if (!warned)
        log_warn("a packet from the network was dropped, since it is %s", why);
    warned = true;
}

/* The payload of the next packet or finished copy, which may be empty; NULL: there is none. */
static const void *next_packet(void)
{
    const void *payload = network->receive(&arrived);

    if (payload)
        return payload;
    is_ours = network->take_copy(&arrived.message, &sender);
    return is_ours ? &arrived : NULL;
}

void network_release(int lane)
{
    (void)lane;
    lock_take(&lock);
    if (!is_ours)
        network->release();
    is_ours = false;
    lock_release(&lock);
}

/* Called by the holder of lane 0, which alone sends and takes packets. */
static void look_at_counts(int process, uint64_t *sent, uint64_t *received)
{
    const struct network_peer *l = network_link_of(process);

    if (!l)
        return;
    *sent = l->proof - l->first_proof;
    *received = l->expected - l->first_expected;
}

static void disperse_crowd(void)
{
    lock_take(&lock);
    crowd_disperse(network->end_silent);
    lock_release(&lock);
}

/* Nothing has arrived: reports a lost peer. */
static bool take_loss(struct arrival *arrival)
{
    char why[LOSS_SIZE] = "";
    int process;
    struct peer *peer;
    struct network_peer *l;

    if (crowd_is_there() && network->end_silent)
        disperse_crowd();
    if (heartbeat_wants_count())
        heartbeat_count(look_at_counts);
    process = heartbeat_take_lost(why, sizeof why);
    peer = process < 0 ? NULL : net_peer(0, process);

    if (!peer)
        return false;
    l = peer->link;
    memcpy(l->why, why, sizeof why);
    lose_link(l);
    is_ours = true;
    *arrival = (struct arrival){NULL, l->why, peer};
    return true;
}

/* The process that the current packet says it is from; -1: one that this process has not met. */
static int find_claimed_sender(void)
{
    if (arrived.job == job)
        return arrived.rank < (uint32_t)boot.size ? (int)arrived.rank : -1;
    return card_find(arrived.job, (int32_t)arrived.rank);
}

/* Whether the current packet is from the process that it names, and the next one of it. No connection is made
 * for any other. */
static bool is_proved(int process)
{
    const struct network_peer *l = process < 0 ? NULL : network_link_of(process);
    enum proof_verdict verdict = PROOF_FAILS;
    uint64_t expected = l ? l->expected : 0;

    if (process >= 0 && (l || first_proof_of(process, &expected) == MPI_SUCCESS))
        verdict = proof_judge(arrived.proof, expected);
    if (verdict == PROOF_FAILS)
        network_drop("not from the process that it names");
    else if (verdict == PROOF_GAP && net_peer(0, process))
        heartbeat_lose(process, "packets from it were lost: a connection was cut");
    return verdict == PROOF_HOLDS;
}

static void take_control(struct network_peer *from, const void *payload)
{
    lock_take(&lock);
    network->control(from, &arrived, payload);
    lock_release(&lock);
}

/* The sender of the current arrival, which is a message or a finished copy; NULL: it is to be dropped. */
static struct peer *find_sender(const void *payload)
{
    struct network_peer *l;
    struct peer *from;

    if (is_ours)
        return net_peer(0, sender);
    sender = find_claimed_sender();
    if (!is_proved(sender))
        return NULL;
    from = net_peer(0, sender);
    if (!from) /* the sender would wait for a reply, or its message would be lost */
        log_die("process %d has sent a message, and cannot be reached: %s", sender, fail_note());
    l = network_link_of(sender);
    if (!l)
        return NULL;
    l->expected++;
    if (arrived.kind == WIRE_CONTROL && network->control)
        take_control(l, payload);
    return arrived.kind == WIRE_MESSAGE ? from : NULL;
}

bool network_poll(int lane, struct arrival *arrival)
{
    if (lane) /* it has lane 0 only */
        return false;
    for (;;) {
        const void *payload;
        struct peer *from;

        lock_take(&lock);
        payload = next_packet();
        lock_release(&lock);
        if (!payload)
            return take_loss(arrival);
        from = find_sender(payload);
        if (from) {
            *arrival = (struct arrival){&arrived.message, payload, from};
            return true;
        }
        network_release(lane);
    }
}

bool network_has_sent_all(void)
{
    bool all;

    lock_take(&lock);
    all = network->has_sent_all();
    lock_release(&lock);
    return all;
}

void network_close(void)
{
    const struct transport *transport;

    if (!network)
        return;
    transport = network->transport;
    network_close_all();
    for (int i = 0; i < card_end(); i++)
        if (net_peers[0][i] && net_peers[0][i]->transport == transport)
            free(net_peers[0][i]->link);
}
