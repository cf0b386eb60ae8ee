#include "insight/checks/buffer/buffer_use.h"

#include "insight/objects/type_check.h"

static struct span *read_from, *written_to; /* buffers of active operations */
int request_memory_parted;

struct request_record *request_memory_meeting(uintptr_t low, uintptr_t high, bool is_written,
                                              bool (*is_it)(const struct span *span, const void *with),
                                              const void *with)
{
    struct span *found = span_tree_find(written_to, low, high, is_it, with);

    if (!found && is_written)
        found = span_tree_find(read_from, low, high, is_it, with);
    return found ? found->of : NULL;
}

static bool is_parted(const struct request_record *r)
{
    return r->received_blocks || r->partitions;
}

void request_memory_take(struct request_record *r)
{
    request_memory_parted += is_parted(r);
    r->span.low = 0;
    r->span.of = r;
    if (r->partitions || !r->buffer ||
        !type_check_span(r->buffer, r->count, r->type, &r->span.low, &r->span.high)) {
        r->span.low = 0;
        return;
    }
    r->span.is_written = r->is_written;
    span_tree_add(r->is_written ? &written_to : &read_from, &r->span);
}

void request_memory_give_back(struct request_record *r)
{
    if (!r->span.of)
        return;
    request_memory_parted -= is_parted(r);
    r->span.of = NULL;
    if (r->span.low)
        span_tree_remove(r->span.is_written ? &written_to : &read_from, &r->span);
    r->span.low = 0;
}
