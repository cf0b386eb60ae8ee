#include "insight/checks/message/message_check.h"

#include "insight/board/board.h"
#include "insight/board/message_channel.h"
#include "insight/board/process_record.h"
#include "insight/checks/buffer/buffer_use.h"
#include "insight/findings/finding.h"
#include "insight/guard/status_watch.h"
#include "insight/objects/comm_loss.h"
#include "insight/objects/type_check.h"
#include "insight/order/order_clock.h"

#include <insight/checks.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* A message that a matched probe has taken. */
struct probed_message {
    struct tracked base;
    bool is_known;
    struct message_envelope envelope;
};

static struct probed_message last_probed; /* as resolve has found it */
/* Receives that are complete, and how many were when a message was sent to a rank last. */
static uint64_t received_count, received_before[BOARD_RANKS];
struct posted_receive *message_check_posted;
static struct posted_receive **posted_end = &message_check_posted;
static int posted_done; /* of the list, how many have completed */
bool message_check_is_late, message_check_cancels;

static uint64_t posted_count; /* receives, so far */

void message_check_acknowledged(const struct procedure *sender, int to)
{
    if (sender->is_synchronous)
        order_learn(to);
}

int message_check_put(struct intercept *call, const struct procedure *sender, struct comm_record *comm,
                      int dest, int tag, const struct type_signature *signature, uint64_t *number)
{
    int to = comm ? comm_check_world(comm, dest) : -1;
    struct message_channel *c = to >= 0 ? message_channel_from(process.rank, to, true) : NULL;
    struct message_envelope e;
    struct call_place place;
    uint64_t behind = 0;

    if (comm && bsend_check_is_wanted)
        bsend_check_sending(call, sender, comm, to, *signature);
    if (!c)
        return to;
    order_tell();
    place = finding_place(call->site);
    e = (struct message_envelope){.comm = comm->number,
                                  .tag = tag,
                                  .from = comm->rank,
                                  .signature = *signature,
                                  .known = (uint32_t)order_known(to),
                                  .place = place.offset | (uint64_t)place.module << PLACE_MODULE |
                                           (uint64_t)sender->is_synchronous << PLACE_SYNCHRONOUS};
    if (!thread_check_is_shared())
        behind = message_channel_put(c, to, &e, received_before[to] != received_count);
    received_before[to] = received_count;
    if (number)
        *number = c->head - 1;
    if (behind == 0) {
        atomic_store_explicit(&c->is_broken, 1, memory_order_release);
        return to;
    }
    buffering_check_sending(call, to, behind - 1);
    return to;
}

void message_check_put_of_call(struct intercept *call, struct comm_record *comm, int dest, int tag,
                               const struct type_signature *signature)
{
    uint64_t number = 0;

    call->saved[SENT_TO] = message_check_put(call, call->procedure, comm, dest, tag, signature, &number);
    call->saved[SENT_NUMBER] = (int64_t)number;
}

void message_check_forget(const struct comm_record *comm, int dest, int error)
{
    int to = comm ? comm_check_world(comm, dest) : -1;
    struct message_channel *c = to >= 0 ? message_channel_from(process.rank, to, false) : NULL;

    if (c && comm_loss_of_error(error) != LOSS_NOT)
        message_channel_doubt(c, comm->number);
    else if (c)
        atomic_store_explicit(&c->is_broken, 1, memory_order_release);
    buffering_check_give_up();
}

uint64_t message_check_last(int to)
{
    const struct message_channel *c = to >= 0 ? message_channel_from(process.rank, to, false) : NULL;

    return c ? c->head - 1 : 0;
}

static bool could_take(const struct posted_receive *p, const struct posted_receive *other)
{
    return p->comm == other->comm && (p->source == MPI_ANY_SOURCE || p->source == other->got_source) &&
           (p->tag == MPI_ANY_TAG || p->tag == other->got_tag);
}

/* The program gets its errors itself. */
static bool is_handled(const struct posted_receive *p)
{
    return p->record && p->record->fatal == MPI_ERRHANDLER_NULL;
}

/* The receive as the board has it. */
static struct late_receive receive_of(const struct posted_receive *p)
{
    return (struct late_receive){.source = p->got_source,
                                 .tag = p->got_tag,
                                 .is_truncated = p->error,
                                 .is_handled = is_handled(p),
                                 .comm = p->comm,
                                 .signature = p->signature};
}

/* Of a communicator on which the program has promised receives that are as long as their messages. */
static void say_other_length(struct intercept *call, const struct posted_receive *p,
                             const struct message_envelope *e)
{
    char sends[128], receives[128];

    type_check_describe(&e->signature, sends, sizeof sends);
    type_check_describe(&p->signature, receives, sizeof receives);
    hint_check_length(call, p, message_channel_place(e), sends, receives);
}

/* The receive is named where it was posted. */
__attribute__((noinline)) static void compare_message(struct intercept *call, const struct posted_receive *p,
                                                      const struct message_envelope *e)
{
    struct late_receive receive;
    struct finding found;

    if (!p->is_exact && type_check_fits(&e->signature, &p->signature, true))
        return;
    receive = receive_of(p);
    if (p->is_exact && e->signature.bytes != p->signature.bytes)
        say_other_length(call, p, e);
    else if (late_receive_differs(&receive, &e->signature, &found))
        finding_add(&(struct finding_about){.class = (enum finding_class)found.class,
                                            .call = call,
                                            .where = p->site == call->site ? NULL : p->site,
                                            .other = message_channel_place(e),
                                            .role = "the send",
                                            .fix = found.fix},
                    "%s", found.text);
}

/* What another order of messages would have done. */
__attribute__((noinline)) static void look_at_order(struct intercept *call, const struct posted_receive *p,
                                                    int from, const struct message_envelope *e)
{
    struct race_message m = {.from = from,
                             .tag = e->tag,
                             .known = e->known,
                             .is_synchronous = e->place >> PLACE_SYNCHRONOUS,
                             .place = message_channel_place(e),
                             .signature = &e->signature};

    if (loss_news() > 0) /* who dies, or has been told of it, sends in no other order */
        return;
    for (const struct unmatched *u = message_channel_unmatched[from]; u && &u->envelope != e; u = u->next)
        m.is_behind |= u->envelope.comm == e->comm;
    if (race_check_is_wanted(p))
        race_check_received(call, p, &m);
    if (overtaking_check_is_wanted(p))
        overtaking_check_received(call, p, &m);
}

/* Where the list of unmatched ones has the message of a receive that has completed, or its end. It takes no more off the channel than
 * it needs: to look for what has not come makes its sender wait for the line. */
static struct unmatched **find_unmatched(const struct posted_receive *p, int from)
{
    struct unmatched **place = &message_channel_unmatched[from];

    while ((*place || message_channel_take(from, place)) &&
           !message_check_fits(&(*place)->envelope, p->comm, p->got_tag))
        place = &(*place)->next;
    return place;
}

/* Nothing is asked of its message but whether it fits. */
static inline bool is_plain_receive(const struct posted_receive *p)
{
    return !p->is_probe && !p->is_exact && !race_check_is_wanted(p) && !overtaking_check_is_wanted(p);
}

/* Finds the envelope of a receive that has completed. */
static inline void resolve(struct intercept *call, const struct posted_receive *p)
{
    int from = p->from;
    struct unmatched **place, *found;
    uint64_t behind;

    if (p->source == MPI_ANY_SOURCE)
        race_check_found(from);
    if (from < 0 || thread_check_is_shared() || message_doubt_is_of(p, from))
        return;
    if (!message_channel_unmatched[from] && is_plain_receive(p) &&
        message_channel_take_fitting(from, p->comm, p->got_tag, &p->signature, &behind)) {
        buffering_check_matched(p->event, from, behind - 1);
        return;
    }
    place = find_unmatched(p, from);
    found = *place;
    if (!found)
        return;
    if (race_check_is_wanted(p) || overtaking_check_is_wanted(p))
        look_at_order(call, p, from, &found->envelope);
    buffering_check_matched(p->event, from, found->envelope.number);
    *place = found->next;
    if (p->is_probe) {
        last_probed.is_known = true;
        memcpy(&last_probed.envelope, &found->envelope, sizeof found->envelope);
    } else if (p->is_exact || !type_check_is_one_type(&found->envelope.signature, &p->signature)) {
        compare_message(call, p, &found->envelope);
    }
    message_channel_free(found);
}

/* MPI_Recv's call as it was. */
__attribute__((noinline)) static void resolve_as_posted(const struct posted_receive *p)
{
    struct intercept then = {.procedure = p->procedure, .site = p->site};
    int64_t argument[sizeof p->argument / sizeof *p->argument];

    memcpy(argument, p->argument, sizeof argument);
    then.argument = argument;
    resolve(&then, p);
}

static bool has_rival(const struct posted_receive *p)
{
    for (const struct posted_receive *earlier = message_check_posted; earlier != p; earlier = earlier->next)
        if (!earlier->is_done && could_take(earlier, p))
            return true;
    return false;
}

void message_check_resolve(struct intercept *call)
{
    struct posted_receive **place = &message_check_posted;
    int left = posted_done;

    while (*place && left > 0) {
        struct posted_receive *p = *place;

        left -= p->is_done;
        if (!p->is_done || (p != message_check_posted && has_rival(p))) {
            place = &p->next;
            continue;
        }
        *place = p->next;
        if (posted_end == &p->next)
            posted_end = place;
        posted_done--;
        if (p->got_source != MPI_PROC_NULL && p->procedure)
            resolve_as_posted(p);
        else if (p->got_source != MPI_PROC_NULL)
            resolve(call, p);
        comm_check_release(p->record);
        request_receive_free(p);
    }
    if (message_check_is_late) /* relaxed: what was found is under the board's lock */
        atomic_store_explicit(&board->rank[process.rank % BOARD_RANKS].last.receive.is_set, 0,
                              memory_order_relaxed);
    message_check_is_late = false;
}

void message_check_take_hits(void)
{
    status_watch_take_hits(posted_count);
}

void message_check_settle(void)
{
    struct intercept none = {.procedure = &procedures[PROCEDURE_Recv]};

    if (message_check_is_late)
        message_check_resolve(&none);
}

/* The message that a probe has found just before. */
static bool takes_probed(struct comm_record *comm, int source, int tag)
{
    bool is_it = comm->has_probed && comm->probed_source == source && comm->probed_tag == tag;

    comm->has_probed = false;
    return is_it;
}

struct posted_receive *message_check_post(struct intercept *call, struct comm_record *comm, int source,
                                          int tag, const struct type_signature *signature)
{
    struct posted_receive *p;

    if (!comm || !comm->world || source == MPI_PROC_NULL || !(p = request_receive_new()))
        return NULL;
    race_check_begin(source);
    order_tell_receive();
    memset(p, 0, offsetof(struct posted_receive, comm));
    p->comm = comm->number;
    p->serial = ++posted_count;
    p->record = comm;
    p->source = source;
    p->tag = tag;
    p->is_exact = comm->assertions & ASSERT_EXACT_LENGTH;
    p->is_of_probe = takes_probed(comm, source, tag);
    p->signature = *signature;
    p->site = call->site;
    p->event = buffering_check_posted(call);
    if (source == MPI_ANY_SOURCE || tag == MPI_ANY_TAG)
        buffering_check_give_up();
    comm_check_hold(comm);
    *posted_end = p;
    posted_end = &p->next;
    return p;
}

void message_check_post_again(struct posted_receive *posted, void *site)
{
    if (posted)
        posted->site = site;
}

void message_check_drop(struct posted_receive *posted)
{
    posted_done++;
    posted->is_done = true;
    posted->got_source = MPI_PROC_NULL;
}

/* What a race of messages is judged by. */
static void note_end(const struct intercept *call, struct posted_receive *posted, const MPI_Status *status)
{
    enum family family = call->procedure->family;

    posted->interval = (uint32_t)order_interval();
    posted->ended_at = posted_count;
    posted->told_at = call->ignores_status ? UINT64_MAX : posted_count;
    posted->is_status_watched = posted->source == MPI_ANY_SOURCE && !call->ignores_status &&
                                status_watch_begin(status, posted->serial, posted_count);
    posted->is_awaited = family == FAMILY_RECV || family == FAMILY_SENDRECV || family == FAMILY_WAIT ||
                         family == FAMILY_WAITALL || family == FAMILY_PROBE;
}

/* False: the look at its message cannot wait, since that need not be the first in the channel that fits. */
static bool is_first_to_come(const struct posted_receive *posted)
{
    if (posted->from < 0 || posted->is_exact || posted_done > 1)
        return false;
    for (const struct unmatched *u = message_channel_unmatched[posted->from]; u; u = u->next)
        if (message_check_fits(&u->envelope, posted->comm, posted->got_tag))
            return false;
    return true;
}

/* For who tells the findings, if this rank dies before it looks. */
static void note_late(const struct posted_receive *posted)
{
    struct late_receive *late = &board->rank[process.rank % BOARD_RANKS].last.receive;

    late->from = posted->from;
    late->source = posted->got_source;
    late->tag = posted->got_tag;
    late->is_truncated = posted->error;
    late->is_handled = is_handled(posted);
    late->comm = posted->comm;
    late->signature = posted->signature;
    late->place = finding_place(posted->site);
    atomic_store_explicit(&late->is_set, 1, memory_order_release);
}

static inline void leave_for_later(const struct intercept *call, struct posted_receive *posted)
{
    message_channel_await(posted->from);
    posted->procedure = call->procedure;
    memcpy(posted->argument, call->argument, sizeof posted->argument);
    note_late(posted);
    message_check_is_late = true;
}

void message_check_done(struct intercept *call, struct posted_receive *posted, const MPI_Status *status,
                        int error)
{
    int class = MPI_SUCCESS, cancelled = 0;

    if (!posted || posted->is_done)
        return;
    if (error)
        real.Error_class(error, &class);
    posted->error = class == MPI_ERR_TRUNCATE;
    message_doubt_receive(posted, error);
    posted_done++;
    posted->is_done = true;
    received_count++;
    note_end(call, posted, status);
    posted->got_source = posted->source != MPI_ANY_SOURCE ? posted->source : status->MPI_SOURCE;
    posted->got_tag = posted->tag != MPI_ANY_TAG ? posted->tag : status->MPI_TAG;
    if (!error && message_check_cancels)
        real.Test_cancelled(status, &cancelled);
    if (posted->is_awaited)
        buffering_check_received(call, posted->event);
    if (cancelled || (error && !posted->error))
        posted->got_source = MPI_PROC_NULL;
    posted->from = comm_check_world(posted->record, posted->got_source);
    order_learn(posted->from);
}

static void forget_rivals(int from)
{
    race_check_found(from);
    overtaking_check_told(from);
}

/* No death keeps its receiver from it; nor has this rank failed to make the communicator. */
static bool might_be_received(const struct message_channel *c, int from, uint64_t comm)
{
    return loss_news() == 0 || (!loss_is_dead(from) && !loss_is_over(comm) && comm_record_is_known(comm) &&
                                !message_channel_is_doubtful(c, comm));
}

static void say_lost(int from)
{
    const struct message_channel *c = message_channel_from(from, process.rank, false);
    char what[128];

    for (struct unmatched *u; (u = message_channel_unmatched[from]); message_channel_free(u)) {
        message_channel_unmatched[from] = u->next;
        if (!might_be_received(c, from, u->envelope.comm))
            continue;
        type_check_describe(&u->envelope.signature, what, sizeof what);
        finding_add(&(struct finding_about){.class = FINDING_LOST,
                                            .at = message_channel_place(&u->envelope),
                                            .rank = &from,
                                            .fix = "every message must be received before MPI_Finalize"},
                    "the message of rank %d to rank %d of %s with tag %d (%s) was never received", from,
                    process.rank, process.was_up || process.gathers ? "MPI_COMM_WORLD" : "mpi://WORLD",
                    u->envelope.tag, what);
    }
}

void message_check_lost(struct intercept *call)
{
    message_check_resolve(call); /* nobody else does where the last receive was refused */
    comm_loss_mark_all();
    for (int from = 0; process.is_shared && from < process.size; from++) {
        bool is_known = message_channel_drain(from) && !message_check_posted;

        if (!is_known || message_channel_unmatched[from])
            forget_rivals(from); /* what it sent is not all received */
        if (!is_known || thread_check_is_shared())
            continue;
        say_lost(from);
    }
    if (loss_news() > 0)
        return;
    race_check_end();
    overtaking_check_end();
    buffering_check_end();
}

static struct type_signature signature_in(const struct intercept *call, enum role count, enum role type)
{
    return type_check_signature((MPI_Datatype)(intptr_t)intercept_argument(call, type),
                                intercept_argument(call, count));
}

void message_check_send(struct intercept *call)
{
    struct message_arguments a = intercept_message(call);
    struct typed_buffer b = type_check_buffer(a.buffer, a.count, a.type);
    struct type_signature s = type_check_signature_of(&b);

    if (a.peer != MPI_PROC_NULL)
        buffer_use_look(call, &b, false);
    buffer_use_window(call, AT_BUF, AT_COUNT, AT_TYPE, false);
    message_check_put_of_call(call, comm_check_find(a.comm), a.peer, a.tag, &s);
}

/* What was refused was not sent. */
void message_check_sent(struct intercept *call, int error)
{
    int to = (int)call->saved[SENT_TO];

    if (error)
        message_check_forget(comm_check_of(call), (int)intercept_argument(call, AT_DEST), error);
    if (error || to < 0)
        return;
    message_check_acknowledged(call->procedure, to);
    buffering_check_sent(call, call->procedure, to, (uint64_t)call->saved[SENT_NUMBER]);
}

void message_check_recv(struct intercept *call)
{
    struct message_arguments a = intercept_message(call);
    struct comm_record *comm = comm_check_find(a.comm);
    struct typed_buffer b = type_check_buffer(a.buffer, a.count, a.type);
    struct type_signature s = type_check_signature_of(&b);

    intercept_want_status(call);
    if (comm && comm->assertions)
        hint_check_wildcards(call, comm, a.peer, a.tag);
    if (process.level == MPI_THREAD_MULTIPLE)
        race_probe_receive(call);
    if (a.peer != MPI_PROC_NULL)
        buffer_use_look(call, &b, true);
    call->detail = message_check_post(call, comm, a.peer, a.tag, &s);
}

void message_check_received(struct intercept *call, int error)
{
    struct posted_receive *posted = call->detail;
    bool is_recv = !error && call->procedure->family == FAMILY_RECV;

    message_check_done(call, posted, (MPI_Status *)(intptr_t)intercept_argument(call, AT_STATUS), error);
    if (posted && is_recv && is_first_to_come(posted))
        leave_for_later(call, posted);
    else if (posted)
        message_check_resolve(call);
    call->detail = NULL;
    if (is_recv)
        buffer_use_window(call, AT_BUF, AT_COUNT, AT_TYPE, true);
}

void message_check_sendrecv(struct intercept *call)
{
    bool replaces = !intercept_has(call, AT_BUF2);
    struct comm_record *comm = comm_check_of(call);
    struct type_signature sent = signature_in(call, AT_COUNT, AT_TYPE);
    struct type_signature received = replaces ? sent : signature_in(call, AT_COUNT2, AT_TYPE2);
    int source = (int)intercept_argument(call, AT_SOURCE), tag = (int)intercept_argument(call, AT_RECVTAG);

    intercept_want_status(call);
    hint_check_wildcards(call, comm, source, tag);
    if (!replaces) {
        buffer_overlap_sendrecv(call);
        buffer_use_buffer(call, AT_BUF, AT_COUNT, AT_TYPE, false);
    }
    buffer_use_buffer(call, replaces ? AT_BUF : AT_BUF2, replaces ? AT_COUNT : AT_COUNT2,
                      replaces ? AT_TYPE : AT_TYPE2, true);
    message_check_put_of_call(call, comm, (int)intercept_argument(call, AT_DEST),
                              (int)intercept_argument(call, AT_TAG), &sent);
    call->detail = message_check_post(call, comm, source, tag, &received);
}

void message_check_sendreceived(struct intercept *call, int error)
{
    message_check_sent(call, error);
    message_check_received(call, error);
}

void message_check_probe(struct intercept *call)
{
    struct comm_record *comm = comm_check_of(call);

    intercept_want_status(call);
    hint_check_wildcards(call, comm, (int)intercept_argument(call, AT_SOURCE),
                         (int)intercept_argument(call, AT_RECVTAG));
    race_check_begin((int)intercept_argument(call, AT_SOURCE));
}

/* A probe has found a message: its sender is known, and what it had told. */
static void learn_of_sender(const struct intercept *call, int source, int tag)
{
    struct comm_record *comm = comm_check_of(call);
    int from = comm ? comm_check_world(comm, source) : -1;

    if (comm) {
        comm->has_probed = true;
        comm->probed_source = source;
        comm->probed_tag = tag;
    }
    if (intercept_argument(call, AT_RECVTAG) == MPI_ANY_TAG)
        overtaking_check_told(from);
    order_learn(from);
    if (intercept_argument(call, AT_SOURCE) == MPI_ANY_SOURCE || call->procedure->family == FAMILY_IPROBE)
        race_check_found(from);
}

static void keep_probed(const struct intercept *call, uint64_t handle)
{
    struct probed_message *m = tracked_add(TRACKED_MESSAGE, handle, sizeof *m, call);

    if (!m)
        return;
    m->is_known = last_probed.is_known;
    memcpy(&m->envelope, &last_probed.envelope, sizeof m->envelope);
}

/* The receive of a message that a matched probe has taken. */
static void compare_probed(struct intercept *call, const struct probed_message *m)
{
    struct type_signature received = type_check_signature(
        (MPI_Datatype)(intptr_t)intercept_argument(call, AT_TYPE), intercept_argument(call, AT_COUNT));
    struct posted_receive p = {.got_source = m->envelope.from,
                               .got_tag = m->envelope.tag,
                               .signature = received,
                               .site = call->site};
    struct late_receive receive = receive_of(&p);
    struct finding found;

    if (late_receive_differs(&receive, &m->envelope.signature, &found) && found.class != FINDING_COUNT)
        compare_message(call, &p, &m->envelope);
}

/* A matched probe takes the message out of the order; it is compared when it is received. */
void message_check_probed(struct intercept *call, int error)
{
    const MPI_Status *status = (MPI_Status *)(intptr_t)intercept_argument(call, AT_STATUS);
    struct type_signature none = {0};
    struct posted_receive *p;
    uint64_t handle;

    if (error || (intercept_has(call, AT_FLAG) && !*(int *)(intptr_t)intercept_argument(call, AT_FLAG)))
        return;
    learn_of_sender(call, status->MPI_SOURCE, status->MPI_TAG);
    if (!intercept_has(call, AT_NEW) && process.level == MPI_THREAD_MULTIPLE)
        race_probe_found(call, status);
    if (!intercept_has(call, AT_NEW))
        return;
    handle = *(uint64_t *)(intptr_t)intercept_argument(call, AT_NEW);
    p = message_check_post(call, comm_check_of(call), (int)intercept_argument(call, AT_SOURCE),
                           (int)intercept_argument(call, AT_RECVTAG), &none);
    if (!p)
        return;
    p->is_probe = true;
    last_probed.is_known = false;
    message_check_done(call, p, status, 0);
    message_check_resolve(call);
    if (handle != (uint64_t)(uintptr_t)MPI_MESSAGE_NO_PROC)
        keep_probed(call, handle);
}

void message_check_taken(struct intercept *call)
{
    const uint64_t *message = (uint64_t *)(intptr_t)intercept_argument(call, AT_MESSAGE);
    const struct probed_message *m = message ? tracked_find(TRACKED_MESSAGE, *message) : NULL;

    order_tell_receive();
    if (m && m->is_known)
        compare_probed(call, m);
    if (message)
        tracked_remove(TRACKED_MESSAGE, *message);
}

void message_check_mrecv(struct intercept *call)
{
    message_check_taken(call);
    buffer_use_buffer(call, AT_BUF, AT_COUNT, AT_TYPE, true);
}
