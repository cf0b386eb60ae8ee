#include "insight/checks/message/message_check.h"

#include "insight/findings/finding.h"

#include <stdbool.h>

enum {
    THREADS = 64 /* that have probed */
};

/* What a thread has found, and not received yet. */
static struct probed {
    bool is_open;
    int64_t comm;
    int source, tag;
    void *site, *rival; /* rival: where another thread has received it, or found it; NULL: none has */
} probes[THREADS];

static int threads;
static __thread int mine __attribute__((tls_model("initial-exec"))); /* one more than the index */

void probe_check_found(const struct intercept *call, const MPI_Status *status)
{
    struct probed new = {
        true, intercept_argument(call, AT_COMM), status->MPI_SOURCE, status->MPI_TAG, call->site, NULL};

    if (mine == 0 && threads < THREADS)
        mine = ++threads;
    if (mine == 0)
        return;
    for (int i = 0; i < threads; i++) {
        struct probed *p = &probes[i];

        if (i == mine - 1 || !p->is_open || p->comm != new.comm || p->source != new.source ||
            p->tag != new.tag)
            continue;
        p->rival = new.site;
        new.rival = p->site;
    }
    probes[mine - 1] = new;
}

static bool may_take(const struct intercept *call, const struct probed *p)
{
    int source = (int)intercept_argument(call, AT_SOURCE), tag = (int)intercept_argument(call, AT_RECVTAG);

    return p->is_open && p->comm == intercept_argument(call, AT_COMM) &&
           (source == MPI_ANY_SOURCE || source == p->source) && (tag == MPI_ANY_TAG || tag == p->tag);
}

/* Another thread waits in a call that may take it, so no lock keeps it out. */
static void *waiting_rival(const struct intercept *call, const struct probed *p)
{
    for (struct intercept *other = intercept_calls(); other; other = other->next)
        if (other != call &&
            (other->procedure->family == FAMILY_RECV ||
             (other->procedure->family == FAMILY_PROBE && !intercept_has(other, AT_FLAG))) &&
            may_take(other, p))
            return other->site;
    return NULL;
}

void probe_check_receive(struct intercept *call)
{
    for (int i = 0; i < threads; i++) {
        struct probed *p = &probes[i];

        if (!may_take(call, p))
            continue;
        if (i != mine - 1) {
            p->rival = call->site;
            continue;
        }
        if (!p->rival)
            p->rival = waiting_rival(call, p);
        p->is_open = false;
        if (p->rival)
            finding_add(
                &(struct finding_about){.class = FINDING_RACE,
                                        .call = call,
                                        .other = finding_place(p->rival),
                                        .role = "the other thread's call",
                                        .made = p->site,
                                        .made_by = "the probe",
                                        .fix = "use MPI_Mprobe and MPI_Mrecv, or keep both calls together "
                                               "with a lock"},
                "%s is to receive what this thread has found by a probe, but another thread has found it, "
                "or received it, since",
                call->procedure->name);
    }
}
