#include "comm/topology.h"

#include "base/live.h"

#include <stdlib.h>

struct topology *topology_new(int kind, size_t integers)
{
    struct topology *t = calloc(1, sizeof *t + integers * sizeof(int));

    if (!t)
        return NULL;
    live_add(LIVE_TOPOLOGY, 1);
    atomic_init(&t->refs, 1);
    t->kind = kind;
    return t;
}

struct topology *topology_ref(struct topology *t)
{
    if (t)
        atomic_fetch_add_explicit(&t->refs, 1, memory_order_relaxed);
    return t;
}

void topology_unref(struct topology *t)
{
    /* acq_rel: who frees it sees what all others did before they dropped their references */
    if (!t || atomic_fetch_sub_explicit(&t->refs, 1, memory_order_acq_rel) != 1)
        return;
    free(t);
    live_add(LIVE_TOPOLOGY, -1);
}
