#include "base/live.h"
#include "coll/shm/mailbox.h"
#include "memory/memory.h"

#include <stdlib.h>

static struct mailboxes *mailbox_alloc(int count)
{
    return calloc(1, sizeof(struct mailboxes) + (size_t)count * sizeof(struct mailbox_peer));
}

/* Segments are written before they are read. */
static size_t mailbox_cleared(struct mailbox_shape shape)
{
    return mailbox_bytes((struct mailbox_shape){.lines = shape.lines});
}

/* Takes s and nothing else. */
static struct mailboxes *mailbox_lay_out(struct mailboxes *s, struct comm *comm, struct mailbox_shape shape,
                                         const struct shm_region *region, size_t offset)
{
    if (!s || !region) {
        free(s);
        return NULL;
    }
    live_add(LIVE_MAILBOXES, 1);
    s->comm = comm;
    s->rank = region->rank;
    s->size = region->size;
    s->shape = shape;
    s->can_get = region->can_get;
    s->all_mapped = region->all_mapped;
    for (int r = 0; r < s->size; r++) {
        s->peer[r].mailbox = (struct mailbox *)(void *)(region->part[r].at + offset);
        s->peer[r].peer = region->part[r].peer;
        s->peer[r].attention = region->part[r].attention;
    }
    s->mine = s->peer[s->rank].mailbox;
    list_init(&s->unpublished);
    list_init(&s->published);
    list_init(&s->link);
    return s;
}

struct mailboxes *mailbox_new(struct comm *comm, struct mailbox_shape shape, const struct shm_region *region,
                              size_t offset)
{
    struct mailboxes *s = mailbox_alloc(comm->size);
    struct shm_region *own =
        region ? NULL : region_new(comm, s ? mailbox_bytes(shape) : 0, mailbox_cleared(shape));

    s = mailbox_lay_out(s, comm, shape, own ? own : region, offset);
    if (s)
        s->region = own;
    return s;
}

struct mailboxes *mailbox_new_in(struct comm *comm, struct mailbox_shape shape,
                                 const struct region_team *team, bool can)
{
    struct mailboxes *s = can ? mailbox_alloc(team->count) : NULL;
    struct shm_region *own = region_new_in(comm, team, s ? mailbox_bytes(shape) : 0, mailbox_cleared(shape));

    s = mailbox_lay_out(s, comm, shape, own, 0);
    if (s)
        s->region = own;
    return s;
}

void mailbox_free(struct mailboxes *s)
{
    if (!s)
        return;
    if (s->region)
        region_free(s->region);
    free(s->scratch);
    if (s->cached_bounce)
        memory_free(s->cached_bounce);
    free(s);
    live_add(LIVE_MAILBOXES, -1);
}
