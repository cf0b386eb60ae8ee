#include "group/group.h"

#include "plain/fail.h"

#include <limits.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum {
    SCAN_LIMIT = 8 /* up to this size a linear search is fastest */
};

struct pool group_pool = POOL_INIT(OBJECT_GROUP, struct group);
struct group group_empty;
int group_me, group_job_size = INT_MAX;

void group_init(void)
{
    object_predefine(&group_empty.object, OBJECT_GROUP, (uintptr_t)MPI_GROUP_EMPTY);
    group_empty.rank = MPI_UNDEFINED;
}

static int find_stride(int size, const int *process)
{
    int stride = size > 1 ? process[1] - process[0] : 1;

    for (int i = 2; i < size; i++)
        if (process[i] - process[i - 1] != stride)
            return 0;
    return stride;
}

static bool group_has_guests(int size, const int *process)
{
    for (int i = 0; i < size; i++)
        if (process[i] >= group_job_size)
            return true;
    return false;
}

/* What follows from its processes. */
static void group_describe(struct group *g, int size)
{
    g->size = size;
    g->stride = find_stride(size, g->process);
    g->has_guests = group_has_guests(size, g->process);
    g->rank = group_rank_of(g, group_me);
}

int group_new_in(struct session *session, int size, const int *process, struct group **group)
{
    struct group *g;

    if (size == 0) {
        *group = &group_empty;
        return MPI_SUCCESS;
    }
    g = pool_new(&group_pool);
    if (!g)
        return fail(MPI_ERR_NO_MEM, "no memory for a group");
    g->process = malloc((size_t)size * sizeof *process);
    if (!g->process) {
        pool_free(&group_pool, g);
        return fail(MPI_ERR_NO_MEM, "no memory for a group of %d processes", size);
    }
    memcpy(g->process, process, (size_t)size * sizeof *process);
    if (session)
        session_ref(session);
    g->session = session;
    group_describe(g, size);
    *group = g;
    return MPI_SUCCESS;
}

int group_new(int size, const int *process, struct group **group)
{
    return group_new_in(NULL, size, process, group);
}

void group_keep(struct group *group, int count, const int *process)
{
    memmove(group->process, process, (size_t)count * sizeof *process);
    free(atomic_exchange_explicit(&group->order, NULL, memory_order_relaxed)); /* no other thread has it */
    group_describe(group, count);
}

void group_ref(struct group *group)
{
    if (!group->object.predefined)
        object_ref(&group->object);
}

void group_unref(struct group *group)
{
    if (group->object.predefined || !object_unref(&group->object))
        return;
    free(group->process);
    if (group->session)
        session_unref(group->session);
    free(atomic_load_explicit(&group->order, memory_order_relaxed)); /* no other thread has a reference */
    pool_free(&group_pool, group);
}

void group_hand_out(struct group *group)
{
    object_hand_out(&group_pool, &group->object);
}

int group_free(struct group *group)
{
    if (!object_take_back(&group_pool, &group->object))
        return fail(MPI_ERR_GROUP, "this group has been freed as often as it was handed out");
    group_unref(group);
    return MPI_SUCCESS;
}

static int group_compare_places(const void *a, const void *b)
{
    int left = ((const struct group_place *)a)->process, right = ((const struct group_place *)b)->process;

    return (left > right) - (left < right);
}

/* The members sorted by process number; NULL when memory is out. Two threads may build it at once: the first
 * to publish wins. */
static const struct group_place *order_of(const struct group *g)
{
    struct group *cache = (struct group *)(uintptr_t)g; /* only the cache of a group changes */
    struct group_place *none = NULL, *order = atomic_load_explicit(&cache->order, memory_order_acquire);

    if (order)
        return order;
    order = malloc((size_t)g->size * sizeof *order);
    if (!order)
        return NULL;
    for (int i = 0; i < g->size; i++)
        order[i] = (struct group_place){.process = g->process[i], .rank = i};
    qsort(order, (size_t)g->size, sizeof *order, group_compare_places);
    /* release pairs with the acquire above, in this or another thread */
    if (atomic_compare_exchange_strong_explicit(&cache->order, &none, order, memory_order_acq_rel,
                                                memory_order_acquire))
        return order;
    free(order);
    return none;
}

static int rank_by_scan(const struct group *g, int process)
{
    for (int i = 0; i < g->size; i++)
        if (g->process[i] == process)
            return i;
    return MPI_UNDEFINED;
}

static int rank_by_order(const struct group *g, const struct group_place *order, int process)
{
    int low = 0, high = g->size - 1;

    while (low < high) {
        int middle = low + (high - low) / 2;

        if (order[middle].process < process)
            low = middle + 1;
        else
            high = middle;
    }
    return order[low].process == process ? order[low].rank : MPI_UNDEFINED;
}

static int rank_by_stride(const struct group *g, int process)
{
    int steps = (process - g->process[0]) / g->stride;

    return steps >= 0 && steps < g->size && g->process[0] + steps * g->stride == process ? steps
                                                                                         : MPI_UNDEFINED;
}

int group_rank_of(const struct group *group, int process)
{
    const struct group_place *order;

    if (group->size == 0)
        return MPI_UNDEFINED;
    if (group->stride)
        return rank_by_stride(group, process);
    if (group->size <= SCAN_LIMIT)
        return rank_by_scan(group, process);
    order = order_of(group);
    return order ? rank_by_order(group, order, process) : rank_by_scan(group, process);
}

int group_compare(const struct group *a, const struct group *b)
{
    if (a == b)
        return MPI_IDENT;
    if (a->size != b->size)
        return MPI_UNEQUAL;
    if (memcmp(a->process, b->process, (size_t)a->size * sizeof *a->process) == 0)
        return MPI_IDENT;
    for (int i = 0; i < a->size; i++)
        if (group_rank_of(b, a->process[i]) == MPI_UNDEFINED)
            return MPI_UNEQUAL;
    return MPI_SIMILAR;
}

int group_translate(const struct group *from, int count, const int *ranks, const struct group *to,
                    int *result)
{
    if (count < 0)
        return fail(MPI_ERR_ARG, "the number of ranks is %d", count);
    for (int i = 0; i < count; i++)
        if (ranks[i] != MPI_PROC_NULL && (ranks[i] < 0 || ranks[i] >= from->size))
            return fail(MPI_ERR_RANK, "ranks1[%d] is %d; the first group has ranks 0 to %d", i, ranks[i],
                        from->size - 1);
    for (int i = 0; i < count; i++)
        result[i] = ranks[i] == MPI_PROC_NULL ? MPI_PROC_NULL : group_rank_of(to, from->process[ranks[i]]);
    return MPI_SUCCESS;
}

int group_get_size(const struct group *group, int *size)
{
    *size = group->size;
    return MPI_SUCCESS;
}

int group_get_rank(const struct group *group, int *rank)
{
    *rank = group->rank;
    return MPI_SUCCESS;
}

int group_get_comparison(const struct group *a, const struct group *b, int *result)
{
    *result = group_compare(a, b);
    return MPI_SUCCESS;
}
