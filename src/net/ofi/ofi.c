#include "net/ofi/ofi.h"

#include "base/lock.h"
#include "boot/boot.h"
#include "boot/host.h"
#include "net/card.h"
#include "net/net.h"
#include "net/ofi/crowd.h"
#include "net/ofi/heartbeat.h"
#include "net/ofi/proof.h"
#include "net/ofi/rma.h"
#include "net/ofi/rx.h"
#include "net/ofi/sever.h"
#include "net/ofi/tx.h"
#include "net/ofi/waker.h"
#include "plain/fail.h"
#include "plain/log.h"
#include "progress/progress.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    BATCH = 16 /* completions read at once */
};

static const struct transport_limits limits = {.message_max = PAYLOAD_MAX, .message_best = PAYLOAD_MAX};
static struct lock lock = LOCK_INIT;
static bool is_open, reaches_job;
static struct wire_address mine;
static uint64_t job; /* this process's, as on its card */
static bool warned;  /* of a packet that was dropped */

/* Completions that were read but not processed yet: from `next` to `count`. The message not yet released is
 * that of `next`. */
static struct {
    struct fi_cq_data_entry entry[BATCH];
    ssize_t next, count;
} batch;
static struct wire arrived;
static int sender;   /* process number of its sender; -1: an unknown process */
static bool is_ours; /* the current arrival came in no packet: end of a copy, or loss of a peer */

static void on_error(struct fid_cq *queue)
{
    struct fi_cq_err_entry entry = {0};
    struct operation *operation;

    if (fi_cq_readerr(queue, &entry, 0) != 1 || !entry.op_context)
        return;
    operation = ofi_operation_of(entry.op_context);
    if (operation->kind == OPERATION_SEND)
        tx_fail(operation, fabric_error(-entry.err));
    else if (operation->kind == OPERATION_RMA)
        rma_fail(operation, fabric_error(-entry.err));
    else if (operation->kind == OPERATION_RECEIVE && entry.flags & FI_MULTI_RECV)
        rx_use_up(operation);
}

/* False when no completion has come. */
static bool ofi_read_queue(struct fid_cq *queue)
{
    ssize_t count = fi_cq_read(queue, batch.entry, BATCH);

    batch.next = 0;
    batch.count = count > 0 ? count : 0;
    if (count == -FI_EAVAIL)
        on_error(queue);
    return count > 0;
}

/* The queues alternate, so that packets cannot starve copies. */
static bool read_batch(void)
{
    static bool rma_first;

    if (!rma_are_under_way())
        return ofi_read_queue(fabric.packets.cq);
    rma_first = !rma_first;
    return ofi_read_queue(rma_first ? fabric.rma.cq : fabric.packets.cq) ||
           (rma_are_under_way() && ofi_read_queue(rma_first ? fabric.packets.cq : fabric.rma.cq));
}

/* Called by a thread that is about to sleep. */
static bool is_quiet(void)
{
    bool quiet;

    lock_take(&lock);
    quiet = batch.next == batch.count && fabric_is_quiet();
    lock_release(&lock);
    return quiet;
}

static int find_address(void)
{
    int code;

    mine.length = sizeof mine.bytes;
    code = fi_getname(&fabric.packets.ep->fid, mine.bytes, &mine.length);
    if (code != 0)
        return fail(MPI_ERR_OTHER, "libfabric's provider %s does not tell its address: %s", fabric_provider(),
                    fabric_error(code));
    snprintf(mine.provider, sizeof mine.provider, "%s", fabric_provider());
    return MPI_SUCCESS;
}

/* For the other processes of this job. */
static int publish_address(void)
{
    char key[BOOT_KEY_SIZE], text[WIRE_TEXT_SIZE];
    int error = wire_address_format(&mine, text, sizeof text);

    if (error)
        return error;
    snprintf(key, sizeof key, "inkling-ofi-%d", boot.rank);
    error = boot_put(key, text);
    return error ? error : boot_fence();
}

static void ofi_close_all(void)
{
    waker_close();
    rma_close();
    fabric_close_packets();
    tx_close();
    rx_close();
    fabric_close();
    heartbeat_close();
    memset(&batch, 0, sizeof batch);
    is_open = false;
}

static int open_parts(void)
{
    int error = keyed_hash_open();

    job = host_hash(boot.job);
    if (!error)
        error = keyed_secret_make(mine.key);
    if (!error)
        error = fabric_open(PACKET_MAX);
    if (!error)
        error = tx_open();
    if (!error)
        error = rx_open();
    if (!error)
        error = find_address();
    if (!error)
        error = heartbeat_open(&mine);
    mine.port = heartbeat_port();
    return error ? error : waker_open(fabric.wait_fd, is_quiet);
}

/* is_of_job: the processes of this job communicate through it. */
static int open_all(bool is_of_job)
{
    int error = open_parts();

    if (!error && is_of_job)
        error = publish_address();
    if (error) {
        ofi_close_all();
        return error;
    }
    is_open = true;
    reaches_job = is_of_job;
    return MPI_SUCCESS;
}

static int ofi_open(void)
{
    return open_all(true);
}

static int tell_address(void)
{
    static struct card_address own;

    if (mine.length > sizeof own.bytes)
        return fail(MPI_ERR_OTHER,
                    "the address of libfabric's provider %s has %zu bytes, and other jobs are "
                    "told of no more than %zu",
                    mine.provider, mine.length, sizeof own.bytes);
    if (own.length)
        return MPI_SUCCESS;
    snprintf(own.provider, sizeof own.provider, "%.*s", CARD_PROVIDER_SIZE - 1, mine.provider);
    own.port = (uint16_t)mine.port;
    own.length = (uint16_t)mine.length;
    memcpy(own.bytes, mine.bytes, mine.length);
    memcpy(own.key, mine.key, sizeof own.key);
    own.auth = fabric.auth;
    card_set_address(&own);
    return MPI_SUCCESS;
}

/* Wakes the threads that sleep: they sleep where the network does not wake them. */
static int ofi_admit(void)
{
    int error = is_open ? MPI_SUCCESS : open_all(false);

    if (!error)
        error = tell_address();
    if (!error)
        progress_wake();
    return error;
}

static bool ofi_is_guest(int process)
{
    return process >= boot.size;
}

static bool ofi_reaches(int process)
{
    if (ofi_is_guest(process))
        return is_open && card_of(process)->address.length > 0;
    return reaches_job && process != boot.rank;
}

static int find_address_of(int process, struct wire_address *address)
{
    char key[BOOT_KEY_SIZE], text[WIRE_TEXT_SIZE];
    int error;

    if (ofi_is_guest(process))
        return wire_address_of_card(card_of(process), address);
    snprintf(key, sizeof key, "inkling-ofi-%d", process);
    error = boot_get(process, key, text, sizeof text);
    return error ? error : wire_address_parse(text, process, address);
}

static uint64_t ofi_job_of(int process)
{
    return ofi_is_guest(process) ? card_of(process)->job : job;
}

static int ofi_rank_of(int process)
{
    return ofi_is_guest(process) ? card_of(process)->rank : process;
}

/* The proof of the first packet from this process. */
static int first_proof_of(int process, uint64_t *proof)
{
    return proof_of(mine.key, PROOF_PACKET, ofi_job_of(process), (uint32_t)ofi_rank_of(process), proof);
}

static int find_proofs(struct ofi_peer *l, const unsigned char *key)
{
    int error = proof_of(key, PROOF_PACKET, job, (uint32_t)boot.rank, &l->first_proof);

    if (!error)
        error = first_proof_of(l->process, &l->first_expected);
    l->proof = l->first_proof;
    l->expected = l->first_expected;
    return error;
}

static int take_heartbeat(int process, const struct wire_address *address)
{
    return heartbeat_add(process, ofi_job_of(process), ofi_rank_of(process), address);
}

static int connect_to(const struct wire_address *address, int process, fi_addr_t *result)
{
    int inserted;

    if (strcmp(address->provider, fabric_provider()) != 0)
        return fail(
            MPI_ERR_OTHER,
            "process %d uses libfabric's provider %s, this one %s: set INKLING_OFI_PROVIDER to one that all "
            "hosts have",
            process, address->provider, fabric_provider());
    if (ofi_is_guest(process) && address->auth != fabric.auth)
        return fail(MPI_ERR_PORT,
                    "the other job has another key for libfabric's provider %s: start both with "
                    "INKLING_OFI_AUTH_KEY=provider",
                    fabric_provider());
    lock_take(&lock);
    inserted = fi_av_insert(fabric.av, address->bytes, 1, result, 0, NULL);
    lock_release(&lock);
    return inserted == 1 ? MPI_SUCCESS
                         : fail(MPI_ERR_OTHER, "libfabric's provider %s refuses the address of process %d",
                                fabric_provider(), process);
}

static int ofi_connect(struct peer *peer)
{
    struct wire_address address;
    struct ofi_peer *l;
    int error = find_address_of(peer->process, &address);

    if (error)
        return error;
    l = calloc(1, sizeof *l);
    if (!l)
        return fail(MPI_ERR_NO_MEM, "no memory for the link to process %d", peer->process);
    l->process = peer->process;
    l->is_guest = ofi_is_guest(peer->process);
    rma_meet(l);
    error = find_proofs(l, address.key);
    if (!error)
        error = connect_to(&address, peer->process, &l->address);
    if (!error)
        error = take_heartbeat(peer->process, &address);
    if (error) {
        free(l);
        return error;
    }
    peer->link = l;
    return MPI_SUCCESS;
}

static const struct transport_limits *ofi_limits(const struct peer *peer)
{
    (void)peer;
    return &limits;
}

/* The link to a process that may not be connected yet; NULL: it is not, or not through this transport. */
static struct ofi_peer *ofi_link_of(int process)
{
    const struct peer *peer = net_peers[0][process];

    return peer && peer->transport == &ofi_transport ? peer->link : NULL;
}

static struct wire head_of(enum wire_kind kind, const struct message *message)
{
    return (struct wire){.version = WIRE_VERSION,
                         .kind = (uint8_t)kind,
                         .rank = (uint32_t)boot.rank,
                         .job = job,
                         .message = *message};
}

static bool ofi_send(struct peer *peer, const struct message *message, const void *payload)
{
    struct wire head = head_of(WIRE_MESSAGE, message);
    bool sent;

    lock_take(&lock);
    sent = tx_send(peer->link, &head, payload);
    lock_release(&lock);
    return sent;
}

static struct memory_region *ofi_expose(const void *memory, size_t bytes, enum exposure exposure,
                                        struct exposed *exposed)
{
    struct memory_region *mr;

    lock_take(&lock);
    mr = rma_expose(memory, bytes, exposure, exposed);
    lock_release(&lock);
    return mr;
}

static void ofi_conceal(struct memory_region *mr)
{
    lock_take(&lock);
    rma_conceal(mr);
    lock_release(&lock);
}

static bool begin_copy(const struct rma_order *order)
{
    bool begun;

    lock_take(&lock);
    begun = rma_begin(order);
    lock_release(&lock);
    return begun;
}

static bool ofi_read(struct peer *peer, void *to, const struct exposed *from, uint64_t offset, size_t bytes,
                     const struct message *done)
{
    return begin_copy(&(struct rma_order){peer->link, false, to, from, offset, bytes, done});
}

static bool ofi_write(struct peer *peer, const void *from, const struct exposed *to, uint64_t offset,
                      size_t bytes, const struct message *done)
{
    return begin_copy(
        &(struct rma_order){peer->link, true, (void *)(uintptr_t)from, to, offset, bytes, done});
}

static void finish_entry(void)
{
    const struct fi_cq_data_entry *e = &batch.entry[batch.next++];

    if (e->flags & (FI_RECV | FI_MULTI_RECV))
        rx_release(e);
}

static void ofi_drop(const char *why)
{
    if (!warned)
        log_warn("a packet from the network was dropped, since it is %s", why);
    warned = true;
}

/* Whether the next completion of the batch is a packet; its header is then in `arrived`. */
static bool take_entry(void)
{
    const struct fi_cq_data_entry *e = &batch.entry[batch.next];
    const char *why;

    if (ofi_operation_of(e->op_context)->kind == OPERATION_SEND)
        tx_finish(ofi_operation_of(e->op_context));
    if (ofi_operation_of(e->op_context)->kind == OPERATION_RMA)
        rma_finish(ofi_operation_of(e->op_context));
    if (!(e->flags & FI_RECV))
        return false;
    why = wire_read(e->buf, e->len, &arrived);
    if (why)
        ofi_drop(why);
    return !why;
}

/* The payload of the next packet or finished copy, which may be empty; NULL: there is none. */
static const void *next_packet(void)
{
    rx_post();
    rma_post();
    while (batch.next < batch.count || read_batch()) {
        if (take_entry())
            return (const char *)batch.entry[batch.next].buf + sizeof arrived;
        finish_entry();
    }
    is_ours = rma_take(&arrived.message, &sender);
    return is_ours ? &arrived : NULL;
}

static void ofi_release(int lane)
{
    (void)lane;
    lock_take(&lock);
    if (!is_ours)
        finish_entry();
    is_ours = false;
    lock_release(&lock);
}

static void sever_link(const struct ofi_peer *l)
{
    unsigned char address[WIRE_ADDRESS_MAX];
    size_t length = sizeof address;

    if (fi_av_lookup(fabric.av, l->address, address, &length) == 0 && length <= sizeof address)
        sever(address, length);
}

/* Called by the holder of lane 0, which alone sends and takes packets. */
static void look_at_counts(int process, uint64_t *sent, uint64_t *received)
{
    const struct ofi_peer *l = ofi_link_of(process);

    if (!l)
        return;
    *sent = l->proof - l->first_proof;
    *received = l->expected - l->first_expected;
}

static void disperse_crowd(void)
{
    lock_take(&lock);
    crowd_disperse();
    lock_release(&lock);
}

/* Nothing has arrived: reports a lost peer. */
static bool take_loss(struct arrival *arrival)
{
    char why[LOSS_SIZE] = "";
    int process;
    struct peer *peer;
    struct ofi_peer *l;

    if (crowd_is_there())
        disperse_crowd();
    if (heartbeat_wants_count())
        heartbeat_count(look_at_counts);
    process = heartbeat_take_lost(why, sizeof why);
    peer = process < 0 ? NULL : net_peer(0, process);

    if (!peer)
        return false;
    l = peer->link;
    lock_take(&lock);
    memcpy(l->why, why, sizeof why);
    tx_lose(l);
    sever_link(l);
    rma_lose(l);
    is_ours = true;
    lock_release(&lock);
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
static bool ofi_is_proved(int process)
{
    const struct ofi_peer *l = process < 0 ? NULL : ofi_link_of(process);
    enum proof_verdict verdict = PROOF_FAILS;
    uint64_t expected = l ? l->expected : 0;

    if (process >= 0 && (l || first_proof_of(process, &expected) == MPI_SUCCESS))
        verdict = proof_judge(arrived.proof, expected);
    if (verdict == PROOF_FAILS)
        ofi_drop("not from the process that it names");
    else if (verdict == PROOF_GAP && net_peer(0, process))
        heartbeat_lose(process, "packets from it were lost: a connection was cut");
    return verdict == PROOF_HOLDS;
}

/* The sender of the current arrival, which is a message or a finished copy; NULL: it is to be dropped. */
static struct peer *ofi_find_sender(void)
{
    struct ofi_peer *l;
    struct peer *from;

    if (is_ours)
        return net_peer(0, sender);
    sender = find_claimed_sender();
    if (!ofi_is_proved(sender))
        return NULL;
    from = net_peer(0, sender);
    if (!from) /* the sender would wait for a reply, or its message would be lost */
        log_die("process %d has sent a message, and cannot be reached: %s", sender, fail_note());
    l = ofi_link_of(sender);
    if (!l)
        return NULL;
    l->expected++;
    return arrived.kind == WIRE_MESSAGE ? from : NULL;
}

static bool ofi_poll(int lane, struct arrival *arrival)
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
        from = ofi_find_sender();
        if (from) {
            *arrival = (struct arrival){&arrived.message, payload, from};
            return true;
        }
        ofi_release(lane);
    }
}

/* The provider does not report when injected packets have left, so a bye follows them, which is reported.
 * False: some byes found no room. */
static bool send_byes(void)
{
    static const struct message nothing;
    struct wire bye = head_of(WIRE_BYE, &nothing);
    bool all = true;

    for (int i = 0; i < boot.size; i++) {
        struct ofi_peer *l = ofi_link_of(i);

        if (l && l->is_lost)
            continue;
        if (l && l->owes_bye && tx_send(l, &bye, NULL))
            l->owes_bye = false;
        all = all && !(l && l->owes_bye);
    }
    return all;
}

static bool ofi_has_sent_all(void)
{
    bool all;

    lock_take(&lock);
    all = send_byes() && !tx_are_pending();
    lock_release(&lock);
    return all;
}

static void ofi_close(void)
{
    if (!is_open)
        return;
    ofi_close_all();
    for (int i = 0; i < card_end(); i++)
        if (net_peers[0][i] && net_peers[0][i]->transport == &ofi_transport)
            free(net_peers[0][i]->link);
}

const struct transport ofi_transport = {
    .name = "ofi",
    .reach = REACH_NETWORK,
    .eager_limit = HINT_OFI_EAGER_LIMIT,
    .open = ofi_open,
    .close = ofi_close,
    .has_sent_all = ofi_has_sent_all,
    .admit = ofi_admit,
    .reaches = ofi_reaches,
    .connect = ofi_connect,
    .limits = ofi_limits,
    .send = ofi_send,
    .poll = ofi_poll,
    .release = ofi_release,
    .expose = ofi_expose,
    .conceal = ofi_conceal,
    .read = ofi_read,
    .write = ofi_write,
};
