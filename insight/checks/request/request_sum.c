#include "insight/checks/request/request_check.h"

#include "insight/checks/buffer/buffer_use.h"
#include "insight/findings/finding.h"
#include "insight/memory/mapped_memory.h"
#include "insight/objects/type_check.h"

uint64_t request_sum_of(const struct request_record *r)
{
    return r->is_dense ? type_check_sum_of(r->span.low, r->span.high)
                       : type_check_checksum(r->buffer, r->count, r->type);
}

static bool is_as_it_was(const void *buffer, int64_t count, MPI_Datatype type, uint64_t sum)
{
    return !sum || !tracked_find(TRACKED_TYPE, (uint64_t)(uintptr_t)type) ||
           !type_check_is_mapped(buffer, count, type) || type_check_checksum(buffer, count, type) == sum;
}

static inline bool is_main_as_it_was(const struct request_record *r)
{
    if (!r->sum)
        return true;
    if (!r->is_dense)
        return is_as_it_was(r->buffer, r->count, r->type, r->sum);
    return !mapped_memory_has(r->span.low, r->span.high) || request_sum_of(r) == r->sum;
}

static bool is_rest_as_it_was(const struct request_record *r)
{
    return is_as_it_was(r->sent_buffer, r->sent_count, r->sent_type, r->sent_sum) &&
           blocks_are_as_they_were(r->sent_blocks);
}

static void say_changed(struct intercept *call, const struct request_record *r)
{
    finding_add(&(struct finding_about){.class = FINDING_BUFFER,
                                        .call = call,
                                        .made = r->base.site,
                                        .made_by = "the send",
                                        .fix = "leave the buffer alone until the operation is complete"},
                "the buffer of %s was written to before the operation was complete", r->base.maker->name);
}

void request_sum_compare(struct intercept *call, const struct request_record *r)
{
    if (!r->is_blamed && !(is_main_as_it_was(r) && (r->is_plain || is_rest_as_it_was(r))))
        say_changed(call, r);
}
