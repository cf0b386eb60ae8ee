/* Gather and scatter: the root exchanges directly with every rank. The root's buffer takes each item as it
 * comes; a tree would copy items on the way and win for small ones on many hosts only. */
#include "coll/algo/algorithm.h"

void algo_gather(struct schedule *s, const struct coll_call *call, enum algorithm algorithm)
{
    const struct places *all = &call->places->to;

    (void)algorithm;
    if (s->rank != call->root) {
        schedule_send(s, call->in, call->root);
        return;
    }
    for (int r = 0; r < s->size; r++)
        if (r != call->root)
            schedule_recv(s, block_place_of(all, r), r);
    algo_keep(s, call->in, block_place_of(all, call->root));
}

void algo_scatter(struct schedule *s, const struct coll_call *call, enum algorithm algorithm)
{
    const struct places *all = &call->places->from;

    (void)algorithm;
    if (s->rank != call->root) {
        schedule_recv(s, call->out, call->root);
        return;
    }
    for (int r = 0; r < s->size; r++)
        if (r != call->root)
            schedule_send(s, block_place_of(all, r), r);
    algo_keep(s, block_place_of(all, call->root), call->out);
}
