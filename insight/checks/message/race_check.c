#include "insight/checks/message/message_check.h"

#include "insight/board/board.h"
#include "insight/board/process_record.h"
#include "insight/findings/finding.h"
#include "insight/guard/status_watch.h"
#include "insight/order/order_clock.h"

#include <stdbool.h>
#include <string.h>

enum {
    WILDCARDS = 16, /* the last ones */
    RIVALS = 16     /* named receives that might have gone without */
};

/* A receive of MPI_ANY_SOURCE that has completed. */
struct wildcard {
    uint64_t comm, serial, told_at;
    bool is_status_watched;
    int tag, from;
    uint32_t interval; /* in which it was complete */
    uint64_t others;   /* a bit for each rank of MPI_COMM_WORLD that had a message for it since */
    struct type_signature signature;
    struct call_place place;
};

/* A receive that names its sender, and what it would have lost its message to. */
struct rival {
    bool is_open;
    int from, tag;
    struct call_place wildcard, receive, send;
};

static struct wildcard wildcards[WILDCARDS];
static uint64_t wildcard_count;
static struct rival rivals[RIVALS];
static int rival_count;
static uint64_t found; /* a bit for each rank of MPI_COMM_WORLD that a wildcard has found */

void race_check_begin(int source)
{
    if (source == MPI_ANY_SOURCE)
        order_start_all();
}

void race_check_found(int world)
{
    if (world < 0 || world >= ORDER_RANKS)
        return;
    found |= UINT64_C(1) << world;
    for (int i = 0; i < rival_count; i++)
        if (rivals[i].from == world)
            rivals[i].is_open = false;
}

static void keep_wildcard(const struct posted_receive *p, const struct race_message *m)
{
    if (m->is_synchronous)
        return; /* its sender knows that it was received before this rank does, and may have told others */
    wildcards[wildcard_count++ % WILDCARDS] = (struct wildcard){.comm = p->comm,
                                                                .serial = p->serial,
                                                                .told_at = p->told_at,
                                                                .is_status_watched = p->is_status_watched,
                                                                .tag = p->tag,
                                                                .from = m->from,
                                                                .interval = p->interval,
                                                                .signature = p->signature,
                                                                .place = finding_place(p->site)};
}

static void say_other_type(struct intercept *call, const struct wildcard *w, const struct race_message *m)
{
    char sends[128], receives[128];

    type_check_describe(m->signature, sends, sizeof sends);
    type_check_describe(&w->signature, receives, sizeof receives);
    finding_add(
        &(struct finding_about){.class = FINDING_RACE,
                                .call = call,
                                .at = w->place,
                                .other = m->place,
                                .role = "the other send",
                                .fix = "name the source, or use other tags"},
        "a receive of MPI_ANY_SOURCE took the message of rank %d, and might have taken that of rank %d "
        "with tag %d, which has another type or is longer: sent %s, room for %s",
        w->from, m->from, m->tag, sends, receives);
}

/* A program that handles its errors itself may count on messages that are longer. */
static bool is_of_other_type(const struct wildcard *w, const struct posted_receive *p,
                             const struct race_message *m)
{
    return p->record->fatal != MPI_ERRHANDLER_NULL && !type_check_fits(m->signature, &w->signature, true) &&
           !type_check_is_tolerated(m->signature, &w->signature);
}

static void keep_rival(const struct posted_receive *p, const struct wildcard *w, const struct race_message *m)
{
    if (rival_count < RIVALS)
        rivals[rival_count++] =
            (struct rival){true, m->from, p->got_tag, w->place, finding_place(p->site), m->place};
}

/* The program does not go on without this message, and does not have its sender from the wildcard's status. */
static bool is_needed(const struct wildcard *w, const struct posted_receive *p, const struct race_message *m)
{
    uint64_t told_at = w->is_status_watched ? status_watch_told_at(w->serial) : w->told_at;

    return p->source != MPI_ANY_SOURCE && p->is_awaited && p->serial <= told_at && !(found >> m->from & 1);
}

/* Might the wildcard have taken this message? */
static bool might_take(const struct wildcard *w, const struct posted_receive *p, const struct race_message *m)
{
    return w->comm == p->comm && p->serial > w->serial && w->from != m->from &&
           (w->tag == MPI_ANY_TAG || w->tag == m->tag) && (int32_t)(m->known - w->interval) < 0 &&
           !order_is_given_up();
}

static void compare_with_wildcards(struct intercept *call, const struct posted_receive *p,
                                   const struct race_message *m)
{
    for (uint64_t i = wildcard_count > WILDCARDS ? wildcard_count - WILDCARDS : 0; i < wildcard_count; i++) {
        struct wildcard *w = &wildcards[i % WILDCARDS];
        bool is_first = !(w->others >> m->from & 1) && !m->is_behind;

        if (!might_take(w, p, m))
            continue;
        w->others |= UINT64_C(1) << m->from;
        if (is_first && is_of_other_type(w, p, m))
            say_other_type(call, w, m);
        else if (is_first && is_needed(w, p, m))
            keep_rival(p, w, m);
    }
}

bool race_check_is_wanted(const struct posted_receive *posted)
{
    return wildcard_count > 0 || posted->source == MPI_ANY_SOURCE;
}

void race_check_received(struct intercept *call, const struct posted_receive *p,
                         const struct race_message *message)
{
    if (thread_check_is_shared() || process.size > ORDER_RANKS)
        return;
    if (wildcard_count > 0)
        compare_with_wildcards(call, p, message);
    if (p->source != MPI_ANY_SOURCE)
        return;
    race_check_found(message->from);
    keep_wildcard(p, message);
}

void race_check_end(void)
{
    for (int i = 0; i < rival_count; i++) {
        const struct rival *r = &rivals[i];

        if (!r->is_open || thread_check_is_shared())
            continue;
        finding_add(&(struct finding_about){.class = FINDING_RACE,
                                            .at = r->wildcard,
                                            .other = r->send,
                                            .role = "the send",
                                            .fix = "name the source, or use other tags"},
                    "a receive of MPI_ANY_SOURCE might have taken the message of rank %d with tag %d; then a "
                    "later receive of rank %d that names this source would wait for ever",
                    r->from, r->tag, process.rank);
    }
    rival_count = 0;
}

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

void race_probe_found(const struct intercept *call, const MPI_Status *status)
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

void race_probe_receive(struct intercept *call)
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
