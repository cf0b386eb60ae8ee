#include "insight/board/message_channel.h"

#include "insight/board/finding_list.h"
#include "insight/board/process_record.h"

#include <stdlib.h>
#include <string.h>

struct unmatched *message_channel_unmatched[BOARD_RANKS];
static struct unmatched *spare; /* to be used again */

struct message_channel *message_channel_from(int from, int to, bool make)
{
    uint64_t *offset = &board->channel[from][to];

    if (!*offset && make) {
        board_lock();
        *offset = board_allocate(sizeof(struct message_channel));
        board_unlock();
        if (!*offset)
            finding_list_leave_out(&board->list, UNCHECKED_MESSAGES);
    }
    return *offset ? board_at(*offset) : NULL;
}

static struct unmatched *unmatched_make(void)
{
    struct unmatched *u = spare;

    if (!u)
        return malloc(sizeof *u);
    spare = u->next;
    return u;
}

void message_channel_free(struct unmatched *u)
{
    u->next = spare;
    spare = u;
}

bool message_channel_drain(int from)
{
    struct message_channel *c = message_channel_from(from, process.rank, false);
    struct unmatched **end = &message_channel_unmatched[from];
    const struct message_envelope *e;
    uint64_t tail;

    if (!c)
        return true;
    tail = atomic_load_explicit(&c->tail, memory_order_relaxed);
    e = message_channel_next(c, tail);
    while (e && *end)
        end = &(*end)->next;
    for (; e; e = message_channel_next(c, ++tail)) {
        struct unmatched *new = unmatched_make();

        if (!new)
            return false;
        new->next = NULL;
        memcpy(&new->envelope, e, sizeof *e);
        *end = new;
        end = &new->next;
    }
    atomic_store_explicit(&c->tail, tail, memory_order_release);
    return !atomic_load_explicit(&c->is_broken, memory_order_acquire);
}
