#include "insight/board/board.h"
#include "insight/board/message_channel.h"
#include "insight/board/process_record.h"
#include "insight/checks/message/message_check.h"
#include "insight/objects/comm_loss.h"
#include "plain/clock.h"

enum {
    CLAIMED = 64,        /* messages of receives before the one in question */
    ARRIVAL_MS = 5000,   /* a message that a receive has met comes within this time, */
    ARRIVAL_RATE = 20000 /* and one more ms for so many bytes: a tenth of what a crowded machine moves */
};

bool message_check_is_coming(const struct comm_record *comm, int source, int tag)
{
    for (int i = 0; i < comm->targets; i++) {
        int from = comm_check_world(comm, i);

        if (from < 0 || (source != MPI_ANY_SOURCE && source != i))
            continue;
        if (!message_channel_drain(from))
            return true; /* perhaps */
        for (struct unmatched *u = message_channel_unmatched[from]; u; u = u->next)
            if (message_check_fits(&u->envelope, comm->number, tag))
                return true;
    }
    return false;
}

static bool is_claimed(const struct unmatched *u, const struct unmatched *const *claimed, int count)
{
    for (int i = 0; i < count; i++)
        if (claimed[i] == u)
            return true;
    return false;
}

/* The first message that an earlier one does not take; NULL: none. */
static const struct unmatched *find_for(const struct posted_receive *p, int from,
                                        const struct unmatched *const *claimed, int count)
{
    int tag = p->is_done ? p->got_tag : p->tag;

    for (const struct unmatched *u = message_channel_unmatched[from]; u; u = u->next)
        if (message_check_fits(&u->envelope, p->comm, tag) && !is_claimed(u, claimed, count))
            return u;
    return NULL;
}

bool message_check_is_wanted(const struct message_envelope *e)
{
    for (const struct posted_receive *p = message_check_posted; p; p = p->next) {
        int source = p->is_done ? p->got_source : p->source, tag = p->is_done ? p->got_tag : p->tag;

        if (message_check_fits(e, p->comm, tag) && (source == MPI_ANY_SOURCE || source == e->from))
            return true;
    }
    return false;
}

static bool may_name(const struct posted_receive *p, int source)
{
    return p->is_done ? p->got_source == source : p->source == source;
}

bool message_check_is_coming_to(const struct posted_receive *posted)
{
    int from = posted->source == MPI_ANY_SOURCE ? -1 : comm_check_world(posted->record, posted->source);
    const struct unmatched *claimed[CLAIMED];
    int count = 0;

    if (from < 0 || posted->record->assertions & ASSERT_ALLOW_OVERTAKING)
        return message_check_is_coming(posted->record, posted->source, posted->tag);
    if (!message_channel_drain(from))
        return true; /* perhaps */
    for (const struct posted_receive *p = message_check_posted; p && p != posted; p = p->next) {
        const struct unmatched *u =
            p->comm == posted->comm && may_name(p, posted->source) ? find_for(p, from, claimed, count) : NULL;

        if (u && count == CLAIMED)
            return true;
        if (u)
            claimed[count++] = u;
    }
    return find_for(posted, from, claimed, count) != NULL;
}

static bool is_open_wildcard(const struct posted_receive *p)
{
    return !p->is_done && p->source == MPI_ANY_SOURCE;
}

/* The one from that rank that this receive has met, or may have met. */
static const struct unmatched *find_met(const struct posted_receive *p, int from,
                                        const struct unmatched *const *claimed, int count)
{
    int source = p->is_done ? p->got_source : p->source;

    if (!is_open_wildcard(p) && (source == MPI_PROC_NULL || comm_check_world(p->record, source) != from))
        return NULL;
    return find_for(p, from, claimed, count);
}

/* A message of another rank fits this wildcard, too, and is what it has met: this one would have come while both ranks are in their calls. */
static bool is_passed_over(const struct posted_receive *p, const struct unmatched *u, int from)
{
    uint64_t sends = atomic_load_explicit(&board->rank[from].since, memory_order_relaxed),
             waits = atomic_load_explicit(&board->rank[process.rank].since, memory_order_relaxed);
    bool is_contested = false;

    if (clock_ns() / 1000000 <
        (sends > waits ? sends : waits) + ARRIVAL_MS + u->envelope.signature.bytes / ARRIVAL_RATE)
        return false;
    for (int other = 0; other < process.size && !is_contested; other++)
        is_contested = other != from && find_for(p, other, NULL, 0);
    return is_contested;
}

/* Of those from one rank, which receives meet in the order in which they were posted. */
static void tell_taken_from(int from, struct message_channel *c)
{
    const struct unmatched *claimed[CLAIMED];
    uint64_t taken = 0;
    int count = 0;

    if (!message_channel_drain(from))
        return;
    for (const struct posted_receive *p = message_check_posted;
         p && message_channel_unmatched[from] && count < CLAIMED; p = p->next) {
        const struct unmatched *u = find_met(p, from, claimed, count);

        if (!u)
            continue;
        claimed[count++] = u;
        if (!p->is_done && u->envelope.number >= taken &&
            !(is_open_wildcard(p) && is_passed_over(p, u, from)))
            taken = u->envelope.number + 1;
    }
    if (count == CLAIMED) /* perhaps all */
        taken = atomic_load_explicit(&c->tail, memory_order_relaxed);
    atomic_store_explicit(&c->taken, taken, memory_order_relaxed);
}

void message_check_tell_taken(void)
{
    for (int from = 0; message_check_posted && from < process.size; from++) {
        struct message_channel *c = message_channel_from(from, process.rank, false);

        if (c)
            tell_taken_from(from, c);
    }
}

bool message_check_is_taken(int to, uint64_t number)
{
    const struct message_channel *c = to >= 0 ? message_channel_from(process.rank, to, false) : NULL;

    return c && (atomic_load_explicit(&c->is_broken, memory_order_relaxed) || /* perhaps */
                 atomic_load_explicit(&c->taken, memory_order_relaxed) > number);
}

bool message_doubt_is_of(const struct posted_receive *p, int from)
{
    const struct message_channel *c = message_channel_from(from, process.rank, false);

    return c && (message_channel_is_broken(c) || message_channel_is_doubtful(c, p->comm));
}

/* The channel from a member that a receive may take messages of; NULL: it may not. */
static struct message_channel *channel_of(const struct posted_receive *posted, int member)
{
    int from = comm_check_world(posted->record, member);

    return from >= 0 && (posted->source == member || posted->source == MPI_ANY_SOURCE)
               ? message_channel_from(from, process.rank, true)
               : NULL;
}

void message_check_abandon(struct posted_receive *posted)
{
    for (int i = 0; i < posted->record->targets; i++) {
        struct message_channel *c = channel_of(posted, i);

        if (c)
            atomic_store_explicit(&c->is_broken, 1, memory_order_release);
    }
    message_check_drop(posted);
}

void message_doubt_receive(const struct posted_receive *posted, int error)
{
    enum comm_loss loss = comm_loss_of_error(error);

    for (int i = 0; loss != LOSS_NOT && i < posted->record->targets; i++) {
        bool may_be =
            loss == LOSS_REVOKED || posted->source == i || loss_is_dead(comm_check_world(posted->record, i));
        struct message_channel *c = may_be ? channel_of(posted, i) : NULL;

        if (c)
            message_channel_doubt(c, posted->comm);
    }
}
