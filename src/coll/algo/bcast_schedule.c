#include "coll/algo/algorithm.h"
#include "coll/algo/host_groups.h"

/* Ranks relative to the root form the tree: the parent of r is r without its lowest bit. Good for long
 * messages too: between ranks of one host each rank copies straight out of its parent's buffer, and sending
 * pieces round a ring took nearly twice as long (2 MiB, 4 and 8 ranks on 2 cores). */
void bcast_tree(struct schedule *s, struct coll_block b, int root)
{
    int relative = (s->rank - root + s->size) % s->size;
    int bit = 1;

    while (bit < s->size && !(relative & bit))
        bit *= 2;
    if (relative) {
        schedule_recv(s, b, (s->rank - bit + s->size) % s->size);
        schedule_wait(s);
    }
    for (bit /= 2; bit; bit /= 2)
        if (relative + bit < s->size)
            schedule_send(s, b, (s->rank + bit) % s->size);
    schedule_wait(s);
}

/* Each rank gets its piece from the root and hands on, round the ring, what it has got. The root has all. */
static void bcast_scatter(struct schedule *s, struct coll_block b, int root)
{
    struct places pieces = block_places_evenly(b, s->size);
    int next = (s->rank + 1) % s->size, previous = (s->rank - 1 + s->size) % s->size;

    for (int r = 0; s->rank == root && r < s->size; r++)
        if (r != root)
            schedule_send(s, block_place_of(&pieces, r), r);
    if (s->rank != root)
        schedule_recv(s, block_place_of(&pieces, s->rank), root);
    schedule_wait(s);
    for (int step = 0; step < s->size - 1; step++) {
        int out = (s->rank - step + s->size) % s->size;

        if (s->rank != root)
            schedule_recv(s, block_place_of(&pieces, (out - 1 + s->size) % s->size), previous);
        if (next != root)
            schedule_send(s, block_place_of(&pieces, out), next);
        schedule_wait(s);
    }
}

/* Portions travel along the chain of ranks behind the root. */
static void bcast_pipeline(struct schedule *s, struct coll_block b, int root)
{
    MPI_Count portion = block_portion(b.type);
    int relative = (s->rank - root + s->size) % s->size;

    for (MPI_Count at = 0; at == 0 || at < b.count; at += portion) {
        if (relative) {
            schedule_recv(s, block_slice(b, at, portion), (s->rank - 1 + s->size) % s->size);
            schedule_wait(s);
        }
        if (relative < s->size - 1)
            schedule_send(s, block_slice(b, at, portion), (s->rank + 1) % s->size);
    }
}

/* In pieces of as many bytes on all ranks: they may count the same data in items of different types. What has
 * gaps is packed apart. */
static void bcast_bytes(struct schedule *s, struct coll_block b, int root, enum algorithm algorithm)
{
    struct coll_block bytes = {b.at, (MPI_Count)block_bytes(b), datatype_predefined(MPI_BYTE)};
    bool is_packed = !b.type->dense && bytes.count;

    if (is_packed)
        bytes = schedule_scratch(s, bytes.count, bytes.type);
    if (is_packed && s->rank == root && bytes.count)
        schedule_copy(s, b, bytes);
    if (algorithm == ALGORITHM_SCATTER)
        bcast_scatter(s, bytes, root);
    else
        bcast_pipeline(s, bytes, root);
    schedule_wait(s);
    if (is_packed && s->rank != root && bytes.count)
        schedule_copy(s, bytes, b);
}

static void bcast_hosts(struct schedule *s, struct coll_block b, int root)
{
    const struct host_groups *hosts = host_groups_of(s->comm);
    struct schedule_team local = host_groups_local(hosts, s->rank),
                         leaders = host_groups_leaders(s, hosts, root);

    if (leaders.me >= 0) {
        schedule_enter(s, leaders);
        bcast_tree(s, b, host_groups_find(hosts, root));
    }
    schedule_enter(s, local);
    bcast_tree(s, b, host_groups_find(hosts, root) == hosts->mine ? root - local.first : 0);
}

void algo_bcast(struct schedule *s, const struct coll_call *call, enum algorithm algorithm)
{
    if (algorithm == ALGORITHM_SCATTER || algorithm == ALGORITHM_PIPELINE)
        bcast_bytes(s, call->in, call->root, algorithm);
    else if (algorithm == ALGORITHM_HOSTS)
        bcast_hosts(s, call->in, call->root);
    else
        bcast_tree(s, call->in, call->root);
}
