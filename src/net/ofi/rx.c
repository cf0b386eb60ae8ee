#include "net/ofi/rx.h"

#include "plain/fail.h"
#include "plain/log.h"

#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum {
    POSTED = 4,                          /* at a time */
    BUFFERS = FABRIC_UNDER_WAY + POSTED, /* with those that are used up and wait for packets */
    BUFFER_SIZE = 8 * PACKET_MAX
};

struct buffer {
    struct operation operation;
    unsigned char *bytes; /* NULL: this buffer and all after it have not been needed yet */
    struct fid_mr *mr;
    bool is_posted;
    bool is_cut;    /* a packet in it will never be complete */
    size_t end;     /* of the packets that have been released since it was posted */
    size_t missing; /* bytes below `end` that packets have a place in which have not been released */
};

static struct {
    struct buffer buffer[BUFFERS];
    int posted; /* of those that are not cut */
    int cut;    /* packets */
} in;

static int open_buffer(struct buffer *b)
{
    int error;

    b->operation.kind = OPERATION_RECEIVE;
    b->bytes = malloc(BUFFER_SIZE);
    if (!b->bytes)
        return fail(MPI_ERR_NO_MEM, "no memory for %d KiB of messages from other hosts", BUFFER_SIZE / 1024);
    error = fabric_register(b->bytes, BUFFER_SIZE, FI_RECV, &b->mr);
    if (error) {
        free(b->bytes);
        b->bytes = NULL;
    }
    return error;
}

int rx_open(void)
{
    for (int i = 0; i < POSTED; i++) {
        int error = open_buffer(&in.buffer[i]);

        if (error)
            return error;
    }
    rx_post();
    return in.posted
               ? MPI_SUCCESS
               : fail(MPI_ERR_OTHER, "libfabric's provider %s takes no receive buffer", fabric_provider());
}

void rx_close(void)
{
    for (struct buffer *b = in.buffer; b < in.buffer + BUFFERS && b->bytes; b++) {
        if (b->mr)
            fi_close(&b->mr->fid);
        free(b->bytes);
    }
    memset(&in, 0, sizeof in);
}

static bool rx_post_one(struct buffer *b)
{
    struct iovec room = {b->bytes, BUFFER_SIZE};
    void *descriptor = fabric_descriptor(b->mr);
    struct fi_msg message = {.msg_iov = &room,
                             .desc = &descriptor,
                             .iov_count = 1,
                             .addr = FI_ADDR_UNSPEC,
                             .context = &b->operation};

    b->end = b->missing = 0;
    return fi_recvmsg(fabric.packets.ep, &message, FI_MULTI_RECV | FI_COMPLETION) == 0;
}

/* Less than a packet: the provider may align packets. */
static bool is_complete(const struct buffer *b)
{
    return b->missing < sizeof(struct wire);
}

void rx_post(void)
{
    for (struct buffer *b = in.buffer; b < in.buffer + BUFFERS && in.posted < POSTED; b++) {
        if (!b->bytes && open_buffer(b))
            return;
        if (b->is_posted || b->is_cut || !is_complete(b))
            continue;
        if (!rx_post_one(b))
            return;
        b->is_posted = true;
        in.posted++;
    }
}

static void note_packet(struct buffer *b, size_t begin, size_t length)
{
    if (begin < b->end) {
        b->missing -= length < b->missing ? length : b->missing;
        return;
    }
    if (begin - b->end >= sizeof(struct wire))
        b->missing += begin - b->end;
    b->end = begin + length;
}

void rx_release(const struct fi_cq_data_entry *entry)
{
    struct buffer *b = entry->op_context; /* its operation is its first member */

    if (entry->flags & FI_RECV)
        note_packet(b, (size_t)((unsigned char *)entry->buf - b->bytes), entry->len);
    if (entry->flags & FI_MULTI_RECV)
        rx_use_up(&b->operation);
}

/* The buffer takes no more packets, or nobody knows whether it does. */
static void stop_counting(struct buffer *b)
{
    if (!b->is_posted)
        return;
    b->is_posted = false;
    in.posted--;
    rx_post();
}

void rx_use_up(struct operation *operation)
{
    stop_counting((struct buffer *)(void *)operation);
}

void rx_cut(struct operation *operation)
{
    struct buffer *b = (struct buffer *)(void *)operation;

    if (++in.cut == FABRIC_UNDER_WAY / 2)
        log_warn(
            "%d connections were cut in the middle of a packet, perhaps by strangers: FI_OFI_RXM_USE_SRX=0 "
            "lets libfabric's ofi_rxm receive after more than %d",
            in.cut, FABRIC_UNDER_WAY);
    b->is_cut = true;
    stop_counting(b);
}
