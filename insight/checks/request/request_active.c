#include "insight/checks/request/request_check.h"

#include "insight/checks/buffer/buffer_use.h"
#include "insight/findings/finding.h"
#include "insight/memory/memory_use.h"
#include "insight/objects/comm_loss.h"
#include "insight/objects/type_check.h"
#include "insight/objects/win_record.h"

void request_active_lose(void)
{
    static uint32_t seen;
    uint32_t news = loss_news();

    for (struct request_record *r = request_record_active; news != seen && r; r = r->next) {
        if (r->is_lost || !comm_loss_has_ended(r))
            continue;
        request_memory_give_back(r);
        buffer_watch_end(r);
        r->buffer = r->sent_buffer = NULL;
        r->sum = r->sent_sum = 0;
        r->is_watched = false;
        r->is_blamed = r->is_lost = true;
    }
    seen = news;
}

bool request_active_is_pending(struct intercept *call, const struct request_record *r, int error)
{
    enum comm_loss loss = comm_loss_of_error(error);

    if (loss == LOSS_NOT)
        return false;
    comm_loss_learn(comm_check_find(r->comm), error);
    if (r->base.maker->family == FAMILY_RMA_REQUEST && r->win)
        comm_loss_learn(&((const struct win_record *)r->win)->comm, error);
    call->is_reported = true;
    return loss == LOSS_PENDING;
}

uint64_t request_active_sum_of(const struct request_record *r)
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
    return !memory_mapped_has(r->span.low, r->span.high) || request_active_sum_of(r) == r->sum;
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

void request_active_sum_compare(struct intercept *call, const struct request_record *r)
{
    if (!r->is_blamed && !(is_main_as_it_was(r) && (r->is_plain || is_rest_as_it_was(r))))
        say_changed(call, r);
}

/* Several requests have the handle. */
static bool has_namesake(const struct request_record *r)
{
    request_record_track_all();
    for (struct tracked *t = tracked_find(TRACKED_REQUEST, r->base.handle); t; t = t->next)
        if (t != &r->base && t->kind == TRACKED_REQUEST && t->handle == r->base.handle)
            return true;
    return false;
}

static bool is_known_to_be(const struct request_record *r, const MPI_Request *variable)
{
    if (r->variable == variable)
        return true;
    return !has_namesake(r);
}

/* One of two threads gets what the other completes. */
void request_active_look_at_wait(struct intercept *call, const struct request_record *r,
                                 const MPI_Request *variable)
{
    for (struct intercept *other = intercept_calls(); other; other = other->next)
        if (other->procedure->family == FAMILY_WAIT && other->detail == r && is_known_to_be(r, variable))
            finding_add(&(struct finding_about){.class = FINDING_REQUEST,
                                                .call = call,
                                                .other = finding_place(other->site),
                                                .made = r->base.site,
                                                .made_by = "the request",
                                                .fix = "let one thread wait for a request"},
                        "two threads wait for one request");
}

/* Who waits for all waits in vain for the second of two that are one: the handle is dead by then. */
void request_active_look_at_listed(struct intercept *call, struct request_record *r, uint64_t list)
{
    if (r->is_persistent)
        return;
    if (r->listed_by == list && !has_namesake(r))
        finding_add(&(struct finding_about){.class = FINDING_REQUEST,
                                            .call = call,
                                            .made = r->base.site,
                                            .made_by = "the request",
                                            .fix = "give each request once"},
                    "%s is given one request twice", call->procedure->name);
    r->listed_by = list;
}
