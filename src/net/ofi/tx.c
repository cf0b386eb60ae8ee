#include "net/ofi/tx.h"

#include "net/network/heartbeat.h"
#include "plain/fail.h"

#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum {
    SLOTS = 64,
    SLOTS_PER_PEER = SLOTS / 4, /* so that a peer that receives nothing does not block the others */
    INJECT_MAX = 256            /* bytes of a packet assembled on the stack */
};

struct slot {
    struct operation operation;
    struct ofi_peer *to;
    struct slot *next_free;
    unsigned char *packet; /* PACKET_MAX bytes */
};

static struct {
    struct slot slot[SLOTS], *free;
    unsigned char *memory;
    struct fid_mr *mr;
    size_t inject_max;
    int pending; /* packets to peers that are not lost */
} out;

int tx_open(void)
{
    int error;

    out.memory = malloc((size_t)SLOTS * PACKET_MAX);
    if (!out.memory)
        return fail(MPI_ERR_NO_MEM, "no memory for %d packets to other hosts", SLOTS);
    error = fabric_register(out.memory, (size_t)SLOTS * PACKET_MAX, FI_SEND, &out.mr);
    if (error)
        return error;
    out.inject_max = fabric.info->tx_attr->inject_size;
    if (out.inject_max > INJECT_MAX)
        out.inject_max = INJECT_MAX;
    for (int i = 0; i < SLOTS; i++) {
        out.slot[i] = (struct slot){.operation.kind = OPERATION_SEND,
                                    .next_free = out.free,
                                    .packet = out.memory + (size_t)i * PACKET_MAX};
        out.free = &out.slot[i];
    }
    return MPI_SUCCESS;
}

void tx_close(void)
{
    if (out.mr)
        fi_close(&out.mr->fid);
    free(out.memory);
    memset(&out, 0, sizeof out);
}

static void put_together(void *packet, const struct wire *head, uint64_t proof, const void *payload)
{
    memcpy(packet, head, sizeof *head);
    memcpy((char *)packet + offsetof(struct wire, proof), &proof, sizeof proof);
    if (head->message.length)
        memcpy((char *)packet + sizeof *head, payload, head->message.length);
}

/* Whether the provider took the packet. Any error but FI_EAGAIN makes the peer lost. */
static bool has_left(struct ofi_peer *to, ssize_t code)
{
    code = fabric_excuse(code, &to->short_since);
    if (code != 0 && code != -FI_EAGAIN)
        heartbeat_lose(to->base.process, fabric_error(code));
    to->base.proof += code == 0;
    return code == 0;
}

static bool inject(struct ofi_peer *to, const struct wire *head, const void *payload, size_t bytes)
{
    unsigned char packet[INJECT_MAX];

    put_together(packet, head, to->base.proof, payload);
    if (!has_left(to, fi_inject(fabric.packets.ep, packet, bytes, to->address)))
        return false;
    to->owes_bye = true;
    return true;
}

static bool send_from_slot(struct ofi_peer *to, const struct wire *head, const void *payload, size_t bytes)
{
    struct slot *s = out.free;

    if (!s || to->outstanding == SLOTS_PER_PEER)
        return false;
    put_together(s->packet, head, to->base.proof, payload);
    if (!has_left(to, fi_send(fabric.packets.ep, s->packet, bytes, fabric_descriptor(out.mr), to->address,
                              &s->operation)))
        return false;
    out.free = s->next_free;
    s->to = to;
    to->outstanding++;
    out.pending++;
    return true;
}

bool tx_send(struct ofi_peer *to, const struct wire *head, const void *payload)
{
    size_t bytes = sizeof *head + head->message.length;

    if (to->base.is_lost)
        return false;
    if (bytes <= out.inject_max && head->kind != WIRE_BYE && !to->base.is_guest)
        return inject(to, head, payload, bytes);
    return send_from_slot(to, head, payload, bytes);
}

void tx_fail(struct operation *operation, const char *why)
{
    struct slot *s = (struct slot *)(void *)operation;

    heartbeat_lose(s->to->base.process, why);
    tx_finish(operation);
}

void tx_finish(struct operation *operation)
{
    struct slot *s = (struct slot *)(void *)operation;

    s->to->outstanding--;
    s->next_free = out.free;
    out.free = s;
    if (!s->to->base.is_lost)
        out.pending--;
}

void tx_lose(struct ofi_peer *to)
{
    out.pending -= (int)to->outstanding;
}

bool tx_are_pending(void)
{
    return out.pending > 0;
}
