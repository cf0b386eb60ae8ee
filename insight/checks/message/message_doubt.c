#include "insight/board/process_record.h"
#include "insight/checks/message/message_check.h"
#include "insight/objects/comm_loss.h"

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
