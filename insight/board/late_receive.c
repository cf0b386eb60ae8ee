#include "insight/board/message_channel.h"

#include <mpi.h>
#include <stdio.h>
#include <string.h>

static bool is_longer(const struct late_receive *r, const struct type_signature *sent)
{
    bool has_room = sent->basic && r->signature.basic && sent->basic != r->signature.basic &&
                    sent->items <= r->signature.items; /* of another type, which is smaller */

    return (r->is_truncated && !has_room) ||
           (sent->basic == r->signature.basic && sent->items > r->signature.items);
}

bool late_receive_differs(const struct late_receive *r, const struct type_signature *sent,
                          struct finding *found)
{
    bool longer = is_longer(r, sent);
    char sends[128], receives[128];

    if (type_check_fits(sent, &r->signature, true) || (longer && r->is_handled))
        return false;
    type_check_describe(sent, sends, sizeof sends);
    type_check_describe(&r->signature, receives, sizeof receives);
    found->class = longer                                         ? FINDING_COUNT
                   : type_check_is_tolerated(sent, &r->signature) ? FINDING_TOLERANCE
                                                                  : FINDING_TYPE;
    snprintf(found->fix, sizeof found->fix, "%s",
             longer ? "make room for all that may be sent"
                    : "send and receive must have the same sequence of basic types");
    snprintf(found->text, sizeof found->text,
             longer ? "the message of rank %d with tag %d is longer than its receive: sent %s, room for %s"
                    : "the message of rank %d with tag %d has another type: sent as %s, received as %s",
             r->source, r->tag, sends, receives);
    return true;
}

/* The first message in the channel that the receive may have taken; false: it is not known. */
static bool find_envelope(const struct board *of, const struct late_receive *r, int rank,
                          struct message_envelope *e)
{
    uint64_t offset = of->channel[r->from][rank], tail;
    const struct message_channel *c = (const void *)((const char *)of + offset);

    if (!offset || atomic_load_explicit(&c->is_broken, memory_order_acquire) ||
        message_channel_is_doubtful(c, r->comm))
        return false;
    tail = atomic_load_explicit(&c->tail, memory_order_acquire);
    while (message_channel_read(c, &tail, e))
        if (e->comm == r->comm && e->tag == r->tag)
            return true;
    return false;
}

static void tell_late(struct board *of, const struct late_receive *r, int rank)
{
    struct finding new = {.count = 1, .where = r->place};
    struct message_envelope e;

    if (!find_envelope(of, r, rank, &e) || !late_receive_differs(r, &e.signature, &new))
        return;
    new.other = message_channel_place(&e);
    snprintf(new.role, sizeof new.role, "the send");
    new.ranks[rank / 64] = UINT64_C(1) << rank % 64;
    finding_list_add(&of->list, &new);
}

void late_receive_tell(struct board *of)
{
    for (int rank = 0; rank < BOARD_RANKS; rank++) {
        struct late_receive *r = &of->rank[rank].last.receive;

        /* acquire: pairs with the release of the rank's own note_late, in message_check.c */
        if (!atomic_load_explicit(&r->is_set, memory_order_acquire))
            continue;
        tell_late(of, r, rank);
        atomic_store_explicit(&r->is_set, 0, memory_order_relaxed);
    }
}
