#include "net/ofi/ofi.h"

#include "boot/boot.h"
#include "net/network/heartbeat.h"
#include "net/network/sever.h"
#include "net/ofi/rma.h"
#include "net/ofi/rx.h"
#include "net/ofi/tx.h"
#include "plain/fail.h"

#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum {
    BATCH = 16 /* completions read at once */
};

/* Completions that were read but not processed yet: from `next` to `count`. The message not yet released is
 * that of `next`. */
static struct {
    struct fi_cq_data_entry entry[BATCH];
    ssize_t next, count;
} batch;

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
    else if (entry.flags & FI_RECV)
        rx_cut(operation);
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

static bool ofi_is_quiet(void)
{
    return batch.next == batch.count && fabric_is_quiet();
}

static int ofi_wait_fd(void)
{
    return fabric.wait_fd;
}

static int find_address(struct wire_address *mine)
{
    int code;

    mine->length = sizeof mine->bytes;
    code = fi_getname(&fabric.packets.ep->fid, mine->bytes, &mine->length);
    if (code != 0)
        return fail(MPI_ERR_OTHER, "libfabric's provider %s does not tell its address: %s", fabric_provider(),
                    fabric_error(code));
    snprintf(mine->provider, sizeof mine->provider, "%s", fabric_provider());
    mine->auth = fabric.auth;
    return MPI_SUCCESS;
}

static void ofi_close(void)
{
    rma_close();
    fabric_close_packets();
    tx_close();
    rx_close();
    fabric_close();
    memset(&batch, 0, sizeof batch);
}

static int ofi_open(struct wire_address *mine)
{
    int error = fabric_open(PACKET_MAX);

    if (!error)
        error = tx_open();
    if (!error)
        error = rx_open();
    return error ? error : find_address(mine);
}

static int ofi_connect(struct network_peer *peer, const struct wire_address *address)
{
    struct ofi_peer *l = ofi_peer_of(peer);

    rma_meet(l);
    if (strcmp(address->provider, fabric_provider()) != 0)
        return fail(
            MPI_ERR_OTHER,
            "process %d uses libfabric's provider %s, this one %s: set INKLING_OFI_PROVIDER to one that all "
            "hosts have",
            peer->process, address->provider, fabric_provider());
    if (peer->is_guest && address->auth != fabric.auth)
        return fail(MPI_ERR_PORT,
                    "the other job has another key for libfabric's provider %s: start both with "
                    "INKLING_OFI_AUTH_KEY=provider",
                    fabric_provider());
    return fi_av_insert(fabric.av, address->bytes, 1, &l->address, 0, NULL) == 1
               ? MPI_SUCCESS
               : fail(MPI_ERR_OTHER, "libfabric's provider %s refuses the address of process %d",
                      fabric_provider(), peer->process);
}

static bool ofi_send(struct network_peer *to, const struct wire *head, const void *payload)
{
    return tx_send(ofi_peer_of(to), head, payload);
}

static void finish_entry(void)
{
    const struct fi_cq_data_entry *e = &batch.entry[batch.next++];

    if (e->flags & (FI_RECV | FI_MULTI_RECV))
        rx_release(e);
}

/* Whether the next completion of the batch is a packet; its header is then in *head. */
static bool take_entry(struct wire *head)
{
    const struct fi_cq_data_entry *e = &batch.entry[batch.next];
    const char *why;

    if (ofi_operation_of(e->op_context)->kind == OPERATION_SEND)
        tx_finish(ofi_operation_of(e->op_context));
    if (ofi_operation_of(e->op_context)->kind == OPERATION_RMA)
        rma_finish(ofi_operation_of(e->op_context));
    if (!(e->flags & FI_RECV))
        return false;
    why = wire_read(e->buf, e->len, head);
    if (why)
        network_drop(why);
    return !why;
}

static const void *ofi_receive(struct wire *head)
{
    rx_post();
    rma_post();
    while (batch.next < batch.count || read_batch()) {
        if (take_entry(head))
            return (const char *)batch.entry[batch.next].buf + sizeof *head;
        finish_entry();
    }
    return NULL;
}

static void sever_link(const struct ofi_peer *l)
{
    unsigned char address[WIRE_ADDRESS_MAX];
    size_t length = sizeof address;

    if (fi_av_lookup(fabric.av, l->address, address, &length) == 0 && length <= sizeof address)
        sever(address, length);
}

static void ofi_lose(struct network_peer *peer)
{
    struct ofi_peer *l = ofi_peer_of(peer);

    tx_lose(l);
    sever_link(l);
    rma_lose(l);
}

static int ofi_end_silent(unsigned ms, int most)
{
    const struct channel *channels[] = {&fabric.packets, &fabric.rma};
    int ended = 0;

    for (int i = 0; i < 2; i++) {
        unsigned char address[WIRE_ADDRESS_MAX];
        size_t length = sizeof address;

        if (channels[i]->ep && fi_getname(&channels[i]->ep->fid, address, &length) == 0)
            ended += sever_silent(address, length, ms, most);
    }
    return ended;
}

/* The provider does not report when injected packets have left, so a bye follows them, which is reported.
 * False: some byes found no room. */
static bool send_byes(void)
{
    static const struct message nothing;
    struct wire bye = network_head(WIRE_BYE, &nothing);
    bool all = true;

    for (int i = 0; i < boot.size; i++) {
        struct network_peer *peer = network_link_of(i);
        struct ofi_peer *l = ofi_peer_of(peer);

        if (!peer || peer->is_lost)
            continue;
        if (l->owes_bye && tx_send(l, &bye, NULL))
            l->owes_bye = false;
        all = all && !l->owes_bye;
    }
    return all;
}

static bool ofi_has_sent_all(void)
{
    return send_byes() && !tx_are_pending();
}

static const struct network ofi_network = {
    .transport = &ofi_transport,
    .peer_size = sizeof(struct ofi_peer),
    .limits = {.message_max = PAYLOAD_MAX, .message_best = PAYLOAD_MAX},
    .open = ofi_open,
    .close = ofi_close,
    .wait_fd = ofi_wait_fd,
    .is_quiet = ofi_is_quiet,
    .connect = ofi_connect,
    .lose = ofi_lose,
    .end_silent = ofi_end_silent,
    .send = ofi_send,
    .receive = ofi_receive,
    .release = finish_entry,
    .has_sent_all = ofi_has_sent_all,
    .expose = rma_expose,
    .conceal = rma_conceal,
    .begin = rma_begin,
    .take_copy = rma_take,
};

static int ofi_open_for_job(void)
{
    return network_open(&ofi_network);
}

static int ofi_admit(void)
{
    return network_admit(&ofi_network);
}

static const char *ofi_lacks(void)
{
    return fabric_load(PACKET_MAX) ? fail_note() : NULL;
}

const struct transport ofi_transport = {
    .name = "ofi",
    .lacks = ofi_lacks,
    .reach = REACH_NETWORK,
    .eager_limit = HINT_OFI_EAGER_LIMIT,
    .open = ofi_open_for_job,
    .close = network_close,
    .has_sent_all = network_has_sent_all,
    .admit = ofi_admit,
    .reaches = network_reaches,
    .connect = network_connect,
    .limits = network_limits,
    .send = network_send,
    .poll = network_poll,
    .release = network_release,
    .give_up = network_give_up,
    .expose = network_expose,
    .conceal = network_conceal,
    .read = network_read,
    .write = network_write,
};
