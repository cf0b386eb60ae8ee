#include "net/ofi/rx.h"

#include "base/fail.h"

#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum {
    BUFFERS = 4,
    BUFFER_SIZE = 8 * PACKET_MAX
};

struct buffer {
    struct operation operation;
    unsigned char *bytes;
    bool is_posted;
};

static struct {
    struct buffer buffer[BUFFERS];
    int posted;
    unsigned char *memory;
    struct fid_mr *mr;
} in;

int rx_open(void)
{
    int error;

    in.memory = malloc((size_t)BUFFERS * BUFFER_SIZE);
    if (!in.memory)
        return fail(MPI_ERR_NO_MEM, "no memory for %d KiB of messages from other hosts",
                    BUFFERS * BUFFER_SIZE / 1024);
    error = fabric_register(in.memory, (size_t)BUFFERS * BUFFER_SIZE, FI_RECV, &in.mr);
    if (error)
        return error;
    for (int i = 0; i < BUFFERS; i++)
        in.buffer[i] = (struct buffer){.operation.kind = OPERATION_RECEIVE,
                                       .bytes = in.memory + (size_t)i * BUFFER_SIZE};
    rx_post();
    return in.posted
               ? MPI_SUCCESS
               : fail(MPI_ERR_OTHER, "libfabric's provider %s takes no receive buffer", fabric_provider());
}

void rx_close(void)
{
    if (in.mr)
        fi_close(&in.mr->fid);
    free(in.memory);
    memset(&in, 0, sizeof in);
}

static bool rx_post_one(struct buffer *b)
{
    struct iovec room = {b->bytes, BUFFER_SIZE};
    void *descriptor = fabric_descriptor(in.mr);
    struct fi_msg message = {.msg_iov = &room,
                             .desc = &descriptor,
                             .iov_count = 1,
                             .addr = FI_ADDR_UNSPEC,
                             .context = &b->operation};

    return fi_recvmsg(fabric.packets.ep, &message, FI_MULTI_RECV | FI_COMPLETION) == 0;
}

void rx_post(void)
{
    for (int i = 0; i < BUFFERS && in.posted < BUFFERS; i++) {
        struct buffer *b = &in.buffer[i];

        if (b->is_posted || !rx_post_one(b))
            continue;
        b->is_posted = true;
        in.posted++;
    }
}

void rx_renew(struct operation *operation)
{
    struct buffer *b = (struct buffer *)(void *)operation;

    b->is_posted = false;
    in.posted--;
    rx_post();
}
