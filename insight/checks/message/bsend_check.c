#include "insight/checks/message/message_check.h"

#include "insight/board/loss.h"
#include "insight/board/process_record.h"
#include "insight/findings/finding.h"
#include "insight/memory/memory_use.h"
#include "insight/order/order_clock.h"

#include <insight/checks.h>
#include <stdlib.h>
#include <string.h>

enum {
    SENT = 64 /* messages that are looked at: the last ones */
};

/* An attached buffer. */
struct attached_buffer {
    struct attached_buffer *next;
    MPI_Comm comm; /* NULL: that of the process */
    int64_t size;
    void *site;
    uint64_t count; /* messages so far */
    struct bsend_message {
        int to;
        uint64_t known; /* the receiver's interval that this rank knew of */
        int64_t bytes;
    } sent[SENT];
};

bool bsend_check_is_wanted;
static struct attached_buffer *buffers;

static struct attached_buffer *find_buffer(MPI_Comm comm)
{
    struct attached_buffer *b = buffers;

    while (b && b->comm != comm)
        b = b->next;
    return b;
}

static void forget_buffer(MPI_Comm comm)
{
    struct attached_buffer **place = &buffers, *b;

    while ((b = *place) && b->comm != comm)
        place = &b->next;
    if (b)
        *place = b->next;
    free(b);
    bsend_check_is_wanted = buffers != NULL;
}

/* MPI_Buffer_attach has a buffer and its size, MPI_Comm_attach_buffer a communicator before them. A session's is not looked at. */
void bsend_check_attached(struct intercept *call, int error)
{
    bool is_of_comm = intercept_has(call, AT_COMM);
    const void *memory = (void *)(intptr_t)call->argument[is_of_comm];
    MPI_Comm comm = (MPI_Comm)(intptr_t)intercept_argument(call, AT_COMM);
    struct attached_buffer *b;

    if (error || intercept_has(call, AT_SESSION))
        return;
    forget_buffer(comm);
    if (memory != MPI_BUFFER_AUTOMATIC && !is_of_comm)
        memory_use_begin(call, memory, call->argument[1], "MPI_Buffer_detach");
    b = memory == MPI_BUFFER_AUTOMATIC ? NULL : tracked_must(calloc(1, sizeof *b));
    if (!b)
        return;
    b->comm = comm;
    b->size = call->argument[is_of_comm + 1];
    b->site = call->site;
    b->next = buffers;
    buffers = b;
    bsend_check_is_wanted = true;
    if (process.is_shared)
        order_start_all();
}

void bsend_check_detached(struct intercept *call, int error)
{
    const void *memory;

    if (error || intercept_has(call, AT_SESSION))
        return;
    memory = *(void **)(intptr_t)call->argument[intercept_has(call, AT_COMM)];
    memory_use_look(call, memory);
    memory_use_end(memory);
    forget_buffer((MPI_Comm)(intptr_t)intercept_argument(call, AT_COMM));
}

/* All that was sent is gone, or will be soon. */
void bsend_check_flushed(struct intercept *call, int error)
{
    struct attached_buffer *b = find_buffer((MPI_Comm)(intptr_t)intercept_argument(call, AT_COMM));

    if (!error && b)
        b->count = 0;
}

/* Whether the receiver may have it, as this rank knows. */
static bool may_be_received(const struct bsend_message *m)
{
    return !process.is_shared || process.size > ORDER_RANKS || m->to < 0 || m->to == process.rank ||
           loss_is_dead(m->to) || order_is_given_up() || order_known(m->to) > m->known;
}

static int64_t bytes_in_use(const struct attached_buffer *b)
{
    int64_t bytes = 0;

    for (uint64_t i = b->count > SENT ? b->count - SENT : 0; i < b->count; i++)
        if (!may_be_received(&b->sent[i % SENT]))
            bytes += b->sent[i % SENT].bytes;
    return bytes;
}

void bsend_check_sending(struct intercept *call, const struct procedure *sender,
                         const struct comm_record *comm, int to, struct type_signature signature)
{
    MPI_Comm handle = (MPI_Comm)(uintptr_t)comm->base.handle;
    struct attached_buffer *b = sender->is_buffered ? find_buffer(handle) : NULL;
    int64_t need = (int64_t)signature.bytes + MPI_BSEND_OVERHEAD, used;

    if (!b && sender->is_buffered && !comm->is_of_session)
        b = find_buffer(NULL);
    if (!b || !signature.is_known)
        return;
    used = bytes_in_use(b);
    b->sent[b->count++ % SENT] = (struct bsend_message){to, to >= 0 ? order_known(to) : 0, need};
    if (need + used <= b->size || comm->fatal == MPI_ERRHANDLER_NULL)
        return; /* a program that gets its errors itself may count on this one */
    finding_add(
        &(struct finding_about){.class = FINDING_ARGUMENT,
                                .call = call,
                                .made = b->site,
                                .made_by = "the buffer",
                                .fix = "attach a buffer of MPI_Pack_size and MPI_BSEND_OVERHEAD bytes for "
                                       "each message that may be in it at once"},
        "the attached buffer of %lld bytes is too small: %s needs %lld bytes, and %lld are in use by "
        "messages that may not have been received yet",
        (long long)b->size, sender->name, (long long)need, (long long)used);
}
