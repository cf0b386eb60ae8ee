#include "insight/checks/message/message_check.h"

#include "insight/board/board.h"
#include "insight/board/process_record.h"
#include "insight/findings/finding.h"
#include "insight/order/order_clock.h"

#include <string.h>

enum {
    RECEIVES = 16, /* the last ones */
    HOSTAGES = 16  /* receives that might have waited for ever */
};

/* A receive that has completed, and its message. */
struct receive {
    uint64_t comm, serial, told_at, ended_at;
    int tag, got_tag, from; /* tag: as the program gave it; from: rank in MPI_COMM_WORLD */
    uint32_t interval;      /* in which it was complete */
    struct type_signature room, sent;
    struct call_place place, send;
    void *asserted_at;
};

/* A receive that names a tag, and what it would have lost its message to. */
struct hostage {
    bool is_open;
    int from, tag;
    struct call_place earlier, send;
    void *asserted_at;
};

static struct receive receives[RECEIVES];
static uint64_t receive_count;
static struct hostage hostages[HOSTAGES];
static int hostage_count;

void overtaking_check_begin(void)
{
    order_start_all();
}

bool overtaking_check_is_wanted(const struct posted_receive *posted)
{
    return posted->record->assertions & ASSERT_ALLOW_OVERTAKING;
}

void overtaking_check_told(int world)
{
    for (int i = 0; i < hostage_count; i++)
        if (hostages[i].from == world)
            hostages[i].is_open = false;
}

static bool fits(const struct type_signature *sent, const struct type_signature *room)
{
    return type_check_fits(sent, room, true) || type_check_is_tolerated(sent, room);
}

static void say_reliance(struct intercept *call, const struct receive *r, const struct posted_receive *p,
                         const struct race_message *m)
{
    char sent[128], room[128];
    bool is_first = !fits(m->signature, &r->room);

    type_check_describe(is_first ? m->signature : &r->sent, sent, sizeof sent);
    type_check_describe(is_first ? &r->room : &p->signature, room, sizeof room);
    finding_add(&(struct finding_about){.class = FINDING_HINT,
                                        .call = call,
                                        .at = is_first ? r->place : finding_place(p->site),
                                        .other = is_first ? m->place : r->send,
                                        .role = "the other send",
                                        .made = r->asserted_at,
                                        .made_by = "the hint set",
                                        .fix = "use other tags, or take the hint away"},
                "this receive might have matched %s message of rank %d, with tag %d, on a communicator with "
                "mpi_assert_allow_overtaking=true: sent %s, room for %s; the program relies on their order",
                is_first ? "a later" : "an earlier", r->from, is_first ? m->tag : r->got_tag, sent, room);
}

/* A program that handles its errors itself may count on messages that are longer. */
static bool is_relied_on(const struct receive *r, const struct posted_receive *p,
                         const struct race_message *m)
{
    bool were_at_once = p->serial <= r->ended_at && (p->tag == MPI_ANY_TAG || p->tag == r->got_tag);

    return p->record->fatal != MPI_ERRHANDLER_NULL &&
           (!fits(m->signature, &r->room) || (were_at_once && !fits(&r->sent, &p->signature)));
}

/* Might the earlier receive have matched this message? */
static bool might_match(const struct receive *r, const struct posted_receive *p, const struct race_message *m)
{
    return r->comm == p->comm && r->from == m->from && p->serial > r->serial &&
           (r->tag == MPI_ANY_TAG || r->tag == m->tag) && (int32_t)(m->known - r->interval) < 0 &&
           !order_is_given_up();
}

/* The program waits for this tag, and did not know the tag of any message of this sender when it began to. */
static bool is_blind(const struct receive *r, const struct posted_receive *p, const struct race_message *m)
{
    if (r->tag != MPI_ANY_TAG || p->tag == MPI_ANY_TAG || p->tag == r->got_tag || p->is_probe ||
        !p->is_awaited)
        return false;
    for (uint64_t i = receive_count > RECEIVES ? receive_count - RECEIVES : 0; i < receive_count; i++) {
        const struct receive *other = &receives[i % RECEIVES];

        if (other->comm == p->comm && other->from == m->from && other->tag == MPI_ANY_TAG &&
            p->serial > other->told_at)
            return false;
    }
    return true;
}

static void keep_hostage(const struct receive *r, const struct race_message *m)
{
    if (hostage_count < HOSTAGES)
        hostages[hostage_count++] = (struct hostage){.is_open = true,
                                                     .from = m->from,
                                                     .tag = m->tag,
                                                     .earlier = r->place,
                                                     .send = m->place,
                                                     .asserted_at = r->asserted_at};
}

static void compare_with_receives(struct intercept *call, const struct posted_receive *p,
                                  const struct race_message *m)
{
    for (uint64_t i = receive_count > RECEIVES ? receive_count - RECEIVES : 0; i < receive_count; i++) {
        const struct receive *r = &receives[i % RECEIVES];

        if (!might_match(r, p, m))
            continue;
        if (is_relied_on(r, p, m)) {
            say_reliance(call, r, p, m);
            return;
        }
        if (is_blind(r, p, m)) {
            keep_hostage(r, m);
            return;
        }
    }
}

static void keep_receive(const struct posted_receive *p, const struct race_message *m)
{
    receives[receive_count++ % RECEIVES] = (struct receive){.comm = p->comm,
                                                            .serial = p->serial,
                                                            .told_at = p->told_at,
                                                            .ended_at = p->ended_at,
                                                            .tag = p->tag,
                                                            .got_tag = p->got_tag,
                                                            .from = m->from,
                                                            .interval = p->interval,
                                                            .room = p->signature,
                                                            .sent = *m->signature,
                                                            .place = finding_place(p->site),
                                                            .send = m->place,
                                                            .asserted_at = p->record->asserted_at};
}

void overtaking_check_received(struct intercept *call, const struct posted_receive *p,
                               const struct race_message *message)
{
    if (thread_check_is_shared() || process.size > ORDER_RANKS)
        return;
    if (p->tag == MPI_ANY_TAG)
        overtaking_check_told(message->from);
    if (p->is_of_probe)
        return;
    compare_with_receives(call, p, message);
    if (!message->is_synchronous && !p->is_probe)
        keep_receive(p, message);
}

void overtaking_check_end(void)
{
    for (int i = 0; i < hostage_count; i++) {
        const struct hostage *h = &hostages[i];

        if (!h->is_open || thread_check_is_shared())
            continue;
        finding_add(
            &(struct finding_about){.class = FINDING_HINT,
                                    .at = h->earlier,
                                    .other = h->send,
                                    .role = "the send",
                                    .made = h->asserted_at,
                                    .made_by = "the hint set",
                                    .fix = "name the tag, or take the hint away"},
            "this receive of MPI_ANY_TAG might have matched a later message of rank %d, with tag %d, on a "
            "communicator with mpi_assert_allow_overtaking=true; then a later receive of rank %d that "
            "names this tag would wait for ever",
            h->from, h->tag, process.rank);
    }
    hostage_count = 0;
}
