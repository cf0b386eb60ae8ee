#include "insight/checks/request/request_check.h"

#include "insight/findings/finding.h"
#include "insight/objects/request_record.h"

#include <stdlib.h>

/* A line that has made a request that was started later. */
struct started {
    const void *site;
    struct started *next;
};

static struct started *started;

static bool is_started(const void *site)
{
    const struct started *s = started;

    while (s && s->site != site)
        s = s->next;
    return s;
}

void persistent_check_start(const struct request_record *r)
{
    struct started *new = r->started_at || is_started(r->base.site) ? NULL : malloc(sizeof *new);

    if (!new)
        return;
    *new = (struct started){r->base.site, started};
    started = new;
}

static bool has_peer(const struct request_record *r)
{
    if (r->turn)
        return true; /* of a collective */
    return r->is_partitioned ? r->peer != MPI_PROC_NULL
                             : r->dest != MPI_PROC_NULL || r->source != MPI_PROC_NULL;
}

static bool is_unstarted(const struct request_record *r)
{
    return r && r->is_persistent && !r->started_at;
}

void persistent_check_wait(const struct intercept *call, const MPI_Request *request, int64_t count)
{
    if (!call->ignores_status)
        return;
    for (int64_t i = 0; i < count; i++)
        if (request[i] != MPI_REQUEST_NULL &&
            !is_unstarted(request_table_find((uint64_t)(uintptr_t)request[i], &request[i])))
            return;
    for (int64_t i = 0; i < count; i++) {
        struct request_record *r = request_check_find(request[i]);

        if (r && has_peer(r))
            r->waited_at = call->site;
    }
}

void persistent_check_end(const struct request_record *r)
{
    if (r->waited_at && !is_started(r->base.site))
        finding_add(&(struct finding_about){.class = FINDING_REQUEST,
                                            .where = r->waited_at,
                                            .made = r->base.site,
                                            .made_by = "the request",
                                            .fix = "start it by MPI_Start before"},
                    "a request of %s is waited for, and never started", r->base.maker->name);
}
