#include "coll/algo/packed.h"

#include "plain/log.h"

#include <string.h>

enum {
    STRAIGHT = 8 * 1024 /* bytes of a position, from which on none passes through others */
};

MPI_Count packed_upto(const struct schedule *s, const struct packed *p, int root, int positions)
{
    int end = root + positions;

    if (!p->first)
        return p->each * positions;
    return end <= s->size ? p->first[end] - p->first[root]
                          : p->first[s->size] - p->first[root] + p->first[end - s->size] - p->first[0];
}

/* The positions whose parts pass through this rank, from its own on. They are counted from the root. */
struct subtree {
    const struct packed *p;
    int root, first, end;
    bool is_star;
    struct coll_block held; /* has their parts; of one position: this rank's own block */
};

static struct subtree subtree_of(struct schedule *s, const struct packed *p, struct coll_block mine,
                                 struct coll_block all, int root)
{
    size_t bytes = (size_t)packed_upto(s, p, 0, s->size) * (size_t)p->type->size;
    struct subtree t = {p, root, (s->rank - root + s->size) % s->size, s->size, false, all};

    t.is_star = bytes / (size_t)s->size >= STRAIGHT;
    if (!t.first)
        return t;
    if (t.is_star || t.first + (t.first & -t.first) < t.end)
        t.end = t.first + (t.is_star ? 1 : t.first & -t.first);
    t.held = mine;
    if (t.end > t.first + 1)
        t.held =
            schedule_scratch(s, packed_upto(s, p, root, t.end) - packed_upto(s, p, root, t.first), p->type);
    return t;
}

static int child_of(const struct subtree *t, int number)
{
    return t->first + (t->is_star ? 1 + number : 1 << number);
}

static int subtree_children(const struct subtree *t)
{
    int count = 0;

    while (child_of(t, count) < t->end)
        count++;
    return count;
}

static struct coll_block subtree_slice(const struct schedule *s, const struct subtree *t, int first, int end)
{
    MPI_Count before = packed_upto(s, t->p, t->root, t->first), at = packed_upto(s, t->p, t->root, first);

    return block_slice(t->held, at - before, packed_upto(s, t->p, t->root, end < t->end ? end : t->end) - at);
}

static struct coll_block part_of_child(const struct schedule *s, const struct subtree *t, int number)
{
    int child = child_of(t, number);

    return subtree_slice(s, t, child, t->is_star ? child + 1 : 2 * child - t->first);
}

static int subtree_peer(const struct schedule *s, const struct subtree *t, int position)
{
    return (t->root + position) % s->size;
}

static int subtree_parent(const struct schedule *s, const struct subtree *t)
{
    return subtree_peer(s, t, t->is_star ? 0 : t->first & (t->first - 1));
}

void packed_gather(struct schedule *s, const struct packed *p, struct coll_block mine, struct coll_block all,
                   int root)
{
    struct subtree t = subtree_of(s, p, mine, all, root);

    for (int i = 0; i < subtree_children(&t); i++)
        schedule_recv(s, part_of_child(s, &t, i), subtree_peer(s, &t, child_of(&t, i)));
    if (!t.first || t.end > t.first + 1)
        schedule_keep(s, mine, subtree_slice(s, &t, t.first, t.first + 1));
    schedule_wait(s);
    if (t.first)
        schedule_send(s, t.held, subtree_parent(s, &t));
    schedule_wait(s);
}

void packed_scatter(struct schedule *s, const struct packed *p, struct coll_block all, struct coll_block mine,
                    int root)
{
    struct subtree t = subtree_of(s, p, mine, all, root);

    if (t.first)
        schedule_recv(s, t.held, subtree_parent(s, &t));
    schedule_wait(s);
    for (int i = subtree_children(&t) - 1; i >= 0; i--)
        schedule_send(s, part_of_child(s, &t, i), subtree_peer(s, &t, child_of(&t, i)));
    if (!t.first || t.end > t.first + 1)
        schedule_keep(s, subtree_slice(s, &t, t.first, t.first + 1), mine);
    schedule_wait(s);
}

struct packed packed_of_hosts(struct schedule *s, const struct host_groups *hosts, struct datatype *type,
                              MPI_Count each)
{
    MPI_Count *first = schedule_offsets(s, hosts->count + 1);

    for (int h = 0; h <= hosts->count; h++)
        first[h] = hosts->first[h] * each;
    return (struct packed){type, 0, first};
}

/* The parts of this host on its leader. */
static struct coll_block part_of_host(struct schedule *s, const struct host_groups *hosts, bool is_leader,
                                      MPI_Count each)
{
    struct datatype *byte = datatype_predefined(MPI_BYTE);

    return is_leader ? schedule_scratch(s, each * host_groups_size(hosts, hosts->mine), byte) : block_empty();
}

void packed_gather_by(struct schedule *s, const struct host_groups *hosts, MPI_Count each,
                      struct coll_block mine, struct coll_block all, int root)
{
    struct packed one = {.type = datatype_predefined(MPI_BYTE), .each = each}, by_host;
    struct schedule_team leaders;
    struct coll_block part;

    if (!hosts) {
        packed_gather(s, &one, mine, all, root);
        return;
    }
    leaders = host_groups_leaders(s, hosts, root);
    part = part_of_host(s, hosts, leaders.me >= 0, each);
    schedule_enter(s, host_groups_local(hosts, s->rank));
    packed_gather(s, &one, mine, part, host_groups_speaker(hosts, root));
    if (leaders.me >= 0) {
        by_host = packed_of_hosts(s, hosts, one.type, each);
        schedule_enter(s, leaders);
        packed_gather(s, &by_host, part, all, host_groups_find(hosts, root));
    }
    schedule_leave(s);
}

void packed_scatter_by(struct schedule *s, const struct host_groups *hosts, MPI_Count each,
                       struct coll_block all, struct coll_block mine, int root)
{
    struct packed one = {.type = datatype_predefined(MPI_BYTE), .each = each}, by_host;
    struct schedule_team leaders, local;
    struct coll_block part;

    if (!hosts) {
        packed_scatter(s, &one, all, mine, root);
        return;
    }
    local = host_groups_local(hosts, s->rank);
    leaders = host_groups_leaders(s, hosts, root);
    part = part_of_host(s, hosts, leaders.me >= 0, each);
    if (leaders.me >= 0) {
        by_host = packed_of_hosts(s, hosts, one.type, each);
        schedule_enter(s, leaders);
        packed_scatter(s, &by_host, all, part, host_groups_find(hosts, root));
    }
    schedule_enter(s, local);
    packed_scatter(s, &one, part, mine, host_groups_speaker(hosts, root));
    schedule_leave(s);
}

const int *packed_order(struct schedule *s, const struct host_groups *hosts, int root)
{
    int *order = schedule_ranks(s, s->size), at = 0;
    int teams = hosts ? hosts->count : 1, root_team = hosts ? host_groups_find(hosts, root) : 0;

    for (int i = 0; i < teams; i++) {
        int team = (root_team + i) % teams, first = hosts ? hosts->first[team] : 0;
        int size = hosts ? host_groups_size(hosts, team) : s->size, begin = 0;

        while (i == 0 && (hosts ? host_groups_at(hosts, first + begin) : begin) != root)
            begin++;
        for (int j = 0; j < size; j++) {
            int place = first + (begin + j) % size;

            order[at++] = hosts ? host_groups_at(hosts, place) : place;
        }
    }
    return order;
}

/* How many ranks from order[first] on have their equal blocks one behind the other. */
static int run_of(const struct places *places, const int *order, int ranks, int first)
{
    int end = first + 1;

    while (!counts_given(places->counts) && !places->types && !places->rest && end < ranks &&
           order[end] == order[end - 1] + 1)
        end++;
    return end - first;
}

/* The places of this run, as one block. */
static struct coll_block run_block(const struct places *places, int first, int run)
{
    struct coll_block block = block_place_of(places, first);

    block.count *= run;
    return block;
}

void packed_put(struct schedule *s, const struct places *from, const int *order, int ranks,
                struct coll_block packed)
{
    MPI_Count each = packed.count / ranks;

    for (int i = 0, run; each && i < ranks; i += run) {
        run = run_of(from, order, ranks, i);
        schedule_copy(s, run_block(from, order[i], run), block_slice(packed, i * each, run * each));
    }
}

void packed_take(struct schedule *s, struct coll_block packed, const int *order, int ranks,
                 const struct places *to)
{
    MPI_Count each = packed.count / ranks;

    for (int i = 0, run; each && i < ranks; i += run) {
        run = run_of(to, order, ranks, i);
        schedule_copy(s, block_slice(packed, i * each, run * each), run_block(to, order[i], run));
    }
}

struct coll_block packed_slots(struct schedule *s, int count)
{
    struct coll_block slots =
        schedule_scratch(s, (MPI_Count)count * SLOT_BYTES, datatype_predefined(MPI_BYTE));

    if (!slots.count)
        log_die("no memory for the slots of %d ranks in a collective", count);
    memset(slots.at, 0, (size_t)slots.count);
    return slots;
}

void packed_slot_put(struct schedule *s, struct coll_block block, struct coll_block slot)
{
    int64_t length = (int64_t)block_bytes(block), word = length + 1;

    memcpy(slot.at, &word, sizeof word);
    if (packed_slot_holds(block))
        schedule_copy(s, block, block_slice(slot, sizeof word, length));
}
