#include "insight/checks/buffer/buffer_use.h"

static struct span_set read_from, written_to; /* buffers of active operations */
int request_memory_parted;

struct request_record *request_memory_meeting(uintptr_t low, uintptr_t high, bool is_written,
                                              bool (*is_it)(const struct span *span, const void *with),
                                              const void *with)
{
    struct span *found = span_set_find(&written_to, low, high, is_it, with);

    if (!found && is_written)
        found = span_set_find(&read_from, low, high, is_it, with);
    return found ? found->of : NULL;
}

static bool is_parted(const struct request_record *r)
{
    return r->received_blocks || r->partitions;
}

static void describe_span(struct request_record *r)
{
    struct typed_buffer b = {0};

    if (r->buffer && !r->partitions)
        b = type_check_buffer(r->buffer, r->count, r->type);
    r->span.low = b.low;
    r->span.high = b.high;
    r->is_dense = b.is_dense;
}

void request_memory_take(struct request_record *r)
{
    r->span.of = r;
    if (!r->is_plain) {
        request_memory_parted += is_parted(r);
        describe_span(r);
    }
    if (!r->span.high)
        return;
    r->span.is_written = r->is_written;
    span_set_add(r->is_written ? &written_to : &read_from, &r->span);
}

void request_memory_give_back(struct request_record *r)
{
    if (!r->span.of)
        return;
    if (!r->is_plain)
        request_memory_parted -= is_parted(r);
    r->span.of = NULL;
    if (r->span.high)
        span_set_remove(r->span.is_written ? &written_to : &read_from, &r->span);
}
