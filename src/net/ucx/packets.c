#include "net/ucx/packets.h"

#include "plain/fail.h"
#include "progress/progress.h"

#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum {
    LOOKS = 16, /* in a row, while bytes come */
    PACKET_SLOTS = 64,
    PACKET_SLOTS_PER_PEER =
        PACKET_SLOTS / 4 /* so that a peer that receives nothing does not block the others */
};

struct packet_slot {
    struct ucx_peer *to;
    struct packet_slot *next_free;
    unsigned char *packet; /* UCX_PACKET_MAX bytes */
};

static struct {
    struct packet_slot slot[PACKET_SLOTS], *free;
    unsigned char *memory;
    int pending; /* packets to peers that are not lost */
    bool is_unflushed;
    void *flush; /* NULL: none is under way */
} leaving;

struct packet_in {
    void *data; /* UCX's */
    size_t length;
};

static struct {
    struct packet_in *packet;
    size_t first, count, capacity; /* from `first` to `count` */
    bool has_looked;               /* all of these have come since the last poll that found none */
} arrived;

/* Keeps the packet. */
static ucs_status_t on_packet(void *unused, const void *header, size_t header_length, void *data,
                              size_t length, const ucp_am_recv_param_t *param)
{
    (void)unused;
    (void)header;
    (void)header_length;
    if (!(param->recv_attr & UCP_AM_RECV_ATTR_FLAG_DATA) || length > UCX_PACKET_MAX) {
        network_drop("longer than any packet");
        return UCS_OK;
    }
    if (arrived.count == arrived.capacity) {
        size_t capacity = arrived.capacity ? 2 * arrived.capacity : 64;
        struct packet_in *bigger = realloc(arrived.packet, capacity * sizeof *bigger);

        if (!bigger)
            return UCS_OK; /* the gap in the proofs shows it */
        arrived.packet = bigger;
        arrived.capacity = capacity;
    }
    arrived.packet[arrived.count++] = (struct packet_in){data, length};
    return UCS_INPROGRESS;
}

int packets_open(void)
{
    const ucp_am_handler_param_t handler = {.field_mask = UCP_AM_HANDLER_PARAM_FIELD_ID |
                                                          UCP_AM_HANDLER_PARAM_FIELD_FLAGS |
                                                          UCP_AM_HANDLER_PARAM_FIELD_CB,
                                            .id = AM_PACKET,
                                            .flags = UCP_AM_FLAG_WHOLE_MSG | UCP_AM_FLAG_PERSISTENT_DATA,
                                            .cb = on_packet};
    ucs_status_t status = ucx.ucp_worker_set_am_recv_handler(ucx_worker, &handler);

    if (status != UCS_OK)
        return fail(MPI_ERR_OTHER, "UCX has no active messages here: %s", ucx.ucs_status_string(status));
    leaving.memory = malloc((size_t)PACKET_SLOTS * UCX_PACKET_MAX);
    if (!leaving.memory)
        return fail(MPI_ERR_NO_MEM, "no memory for %d packets to other hosts", PACKET_SLOTS);
    for (int i = PACKET_SLOTS - 1; i >= 0; i--) {
        leaving.slot[i] = (struct packet_slot){.next_free = leaving.free,
                                               .packet = leaving.memory + (size_t)i * UCX_PACKET_MAX};
        leaving.free = &leaving.slot[i];
    }
    return MPI_SUCCESS;
}

void packets_drop(void)
{
    while (!packets_are_none())
        packets_release();
    if (leaving.flush)
        ucx.ucp_request_free(leaving.flush);
    leaving.flush = NULL;
}

void packets_close(void)
{
    free(leaving.memory);
    memset(&leaving, 0, sizeof leaving);
    free(arrived.packet);
    memset(&arrived, 0, sizeof arrived);
}

static void give_slot_back(struct packet_slot *s)
{
    s->next_free = leaving.free;
    leaving.free = s;
}

static void on_left(void *request, ucs_status_t status, void *user_data)
{
    struct packet_slot *s = user_data;
    struct ucx_peer *to = s->to;

    to->outstanding--;
    give_slot_back(s);
    ucx.ucp_request_free(request);
    if (to->base.is_lost)
        return;
    leaving.pending--;
    if (status != UCS_OK)
        ucx_fail_peer(to, status);
}

bool packets_send(struct network_peer *peer, const struct wire *head, const void *payload)
{
    const ucp_request_param_t how = {.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_FLAGS |
                                                     UCP_OP_ATTR_FIELD_USER_DATA,
                                     .flags = UCP_AM_SEND_FLAG_EAGER,
                                     .cb.send = on_left,
                                     .user_data = leaving.free};
    struct ucx_peer *to = ucx_peer_of(peer);
    struct packet_slot *s = leaving.free;
    size_t bytes = sizeof *head + head->message.length;
    void *request;

    if (!s || peer->is_lost || to->outstanding == PACKET_SLOTS_PER_PEER)
        return false;
    memcpy(s->packet, head, sizeof *head);
    memcpy(s->packet + offsetof(struct wire, proof), &peer->proof, sizeof peer->proof);
    if (head->message.length)
        memcpy(s->packet + sizeof *head, payload, head->message.length);
    request = ucx.ucp_am_send_nbx(to->ep, AM_PACKET, NULL, 0, s->packet, bytes, &how);
    if (UCS_PTR_IS_ERR(request)) {
        ucx_fail_peer(to, UCS_PTR_STATUS(request));
        return false;
    }
    peer->proof++;
    leaving.is_unflushed = true;
    if (request) {
        leaving.free = s->next_free;
        s->to = to;
        to->outstanding++;
        leaving.pending++;
    }
    return true;
}

bool packets_are_none(void)
{
    return arrived.first == arrived.count;
}

void packets_release(void)
{
    ucx.ucp_am_data_release(ucx_worker, arrived.packet[arrived.first++].data);
    if (packets_are_none())
        arrived.first = arrived.count = 0;
}

/* Whether packets are there. Each look at what has come is a system call. So the poll that has taken the packets of one look ends
 * without another, and one that sees bytes come but no end of a message goes on. */
static bool packets_look(void)
{
    bool has_looked = arrived.has_looked;

    arrived.has_looked = false;
    for (int i = 0; i < LOOKS && !has_looked && packets_are_none(); i++)
        if (!ucx.ucp_worker_progress(ucx_worker))
            break;
        else
            progress_note_motion();
    arrived.has_looked = !packets_are_none();
    return arrived.has_looked;
}

const void *packets_receive(struct wire *head)
{
    while (!packets_are_none() || packets_look()) {
        const struct packet_in *p = &arrived.packet[arrived.first];
        const char *why = wire_read(p->data, p->length, head);

        if (!why)
            return (const char *)p->data + sizeof *head;
        network_drop(why);
        packets_release();
    }
    return NULL;
}

/* A flush of the worker says that the last packets have left. */
bool packets_have_all_left(void)
{
    const ucp_request_param_t plain = {0};

    if (leaving.pending)
        return false;
    if (!leaving.flush && leaving.is_unflushed) {
        leaving.flush = ucx.ucp_worker_flush_nbx(ucx_worker, &plain);
        leaving.is_unflushed = false;
        if (!UCS_PTR_IS_PTR(leaving.flush))
            leaving.flush = NULL;
    }
    if (leaving.flush && ucx.ucp_request_check_status(leaving.flush) != UCS_INPROGRESS) {
        ucx.ucp_request_free(leaving.flush);
        leaving.flush = NULL;
    }
    return !leaving.flush && !leaving.is_unflushed;
}

void packets_lose(struct ucx_peer *peer)
{
    leaving.pending -= (int)peer->outstanding;
}
