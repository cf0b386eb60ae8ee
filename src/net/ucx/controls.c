#include "net/ucx/controls.h"

#include "net/ucx/packets.h"

#include <stdlib.h>
#include <string.h>

struct control {
    struct link link;
    struct ucx_peer *to;
    enum control_kind kind;
    size_t bytes;
    unsigned char payload[];
};

static struct link waiting = LIST_INIT(waiting);

/* Whether it need not wait: it was sent, or its peer is lost. */
static bool controls_try(struct ucx_peer *to, enum control_kind kind, const void *payload, size_t bytes)
{
    const struct message m = {.length = (uint32_t)bytes, .kind = (uint8_t)kind};
    const struct wire head = network_head(WIRE_CONTROL, &m);

    return to->base.is_lost || packets_send(&to->base, &head, payload);
}

void controls_send(struct ucx_peer *to, enum control_kind kind, const void *payload, size_t bytes)
{
    struct control *c;

    if (controls_try(to, kind, payload, bytes))
        return;
    c = malloc(sizeof *c + bytes);
    if (!c) {
        ucx_fail_peer(to, UCS_ERR_NO_MEMORY);
        return;
    }
    *c = (struct control){.to = to, .kind = kind, .bytes = bytes};
    memcpy(c->payload, payload, bytes);
    list_init(&c->link);
    list_add(&waiting, &c->link);
}

void controls_post(void)
{
    struct link *next;

    for (struct link *l = waiting.next; l != &waiting; l = next) {
        struct control *c = LIST_ENTRY(l, struct control, link);

        next = l->next;
        if (!controls_try(c->to, c->kind, c->payload, c->bytes))
            continue;
        list_remove(l);
        free(c);
    }
}

void controls_close(void)
{
    while (!list_is_empty(&waiting)) {
        struct link *l = waiting.next;

        list_remove(l);
        free(LIST_ENTRY(l, struct control, link));
    }
}
