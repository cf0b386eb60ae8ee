#include "insight/checks/request/request_check.h"

#include "insight/findings/finding.h"

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
void request_twice_look_at_wait(struct intercept *call, const struct request_record *r,
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
void request_twice_look_at_listed(struct intercept *call, struct request_record *r, uint64_t list)
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
