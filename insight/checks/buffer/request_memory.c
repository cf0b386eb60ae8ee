#include "insight/checks/buffer/buffer_use.h"

#include "insight/findings/finding.h"
#include "insight/memory/memory_use.h"

enum {
    FREED = 128 << 10 /* bytes that the C library gives back at once */
};

static struct span_set read_from, written_to; /* buffers of active operations */
int request_memory_parted;

bool request_memory_may_meet(uintptr_t low, uintptr_t high, bool is_written)
{
    return request_memory_parted > 0 || span_set_may_meet(&written_to, low, high) ||
           (is_written && span_set_may_meet(&read_from, low, high));
}

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

/* What is large, and the C library has given back to the system. */
static bool is_unmapped(const struct request_record *r)
{
    uintptr_t low, high;

    return r->count >= FREED / 64 && tracked_find(TRACKED_TYPE, (uint64_t)(uintptr_t)r->type) &&
           type_check_span(r->buffer, r->count, r->type, &low, &high) && high - low >= FREED &&
           !type_check_is_mapped(r->buffer, r->count, r->type);
}

__attribute__((noinline)) static void look_for_memory(struct intercept *call, struct request_record *r)
{
    bool is_left;

    if (!r->is_active || r->is_blamed || !r->buffer || r->is_partitioned)
        return;
    is_left = r->thread && stack_frame_is_left((uintptr_t)r->buffer, r->thread, call + 1);
    if (!is_left && !is_unmapped(r))
        return;
    r->is_blamed = true;
    finding_add(&(struct finding_about){.class = FINDING_BUFFER,
                                        .call = call,
                                        .made = r->base.site,
                                        .made_by = "the operation under way",
                                        .fix = is_left ? "complete the operation before the function returns"
                                                       : "free the memory when the operation is complete"},
                is_left
                    ? "the buffer of %s is of a function that has returned before the operation was complete"
                    : "the memory of the buffer of %s has been freed before the operation was complete",
                r->base.maker->name);
}

/* A short buffer that is on no stack is of memory that stays. */
void request_memory_look(struct intercept *call, struct request_record *r)
{
    if (r && (r->thread || r->count >= FREED / 64))
        look_for_memory(call, r);
}
