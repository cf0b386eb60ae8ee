#include "cmd/simulate/pretend.h"

#include "coll/algo/host_groups.h"
#include "hint/coll_rules.h"

#include <stdint.h>
#include <stdlib.h>

/* Addresses of buffers, far from each other and from all memory. */
static char *const input_at = (char *)((uintptr_t)1 << 45), *const result_at = (char *)((uintptr_t)1 << 46);

int pretend_first(const struct pretended *world, int host)
{
    int each = world->ranks / world->hosts, rest = world->ranks % world->hosts;

    return host * each + (host < rest ? host : rest);
}

int pretend_host(const struct pretended *world, int rank)
{
    return host_groups_find(world->comm->hosts, rank);
}

static struct host_groups *pretend_hosts(const struct pretended *world)
{
    struct host_groups *hosts =
        calloc(1, sizeof *hosts + ((size_t)world->hosts + 1) * sizeof hosts->first[0]);

    if (!hosts)
        return NULL;
    hosts->count = world->hosts;
    for (int h = 0; h <= world->hosts; h++)
        hosts->first[h] = pretend_first(world, h);
    return hosts;
}

bool pretend_world(struct pretended *world, int ranks, int hosts)
{
    struct group *group = calloc(1, sizeof *group);

    *world = (struct pretended){.ranks = ranks, .hosts = hosts, .comm = calloc(1, sizeof *world->comm)};
    if (!group || !world->comm) {
        free(group);
        free(world->comm);
        return false;
    }
    datatype_init();
    group->size = ranks;
    world->comm->group = group;
    world->comm->size = ranks;
    world->comm->hosts = pretend_hosts(world);
    hints_init(&world->comm->hints, ON_COMM);
    return world->comm->hosts != NULL;
}

void pretend_end(struct pretended *world)
{
    hints_fini(&world->comm->hints);
    free(world->comm->hosts);
    free(world->comm->group);
    free(world->comm);
}

static bool has_blocks(enum collective c)
{
    return c == COLL_ALLGATHER || c == COLL_ALLTOALL || c == COLL_REDUCE_SCATTER || c == COLL_GATHER ||
           c == COLL_SCATTER;
}

size_t pretend_rule_bytes(const struct pretended *world, const struct pretended_call *call)
{
    bool is_one = !has_blocks(call->list->collective) || call->list->collective == COLL_GATHER;

    return is_one ? call->bytes : call->bytes * (size_t)world->ranks;
}

static bool reduces(enum collective c)
{
    return c == COLL_REDUCE || c == COLL_ALLREDUCE || c == COLL_REDUCE_SCATTER || c == COLL_SCAN;
}

/* Items are of 8 bytes where they are combined and there are so many, else bytes. */
static struct datatype *type_of(enum collective c, size_t bytes)
{
    return datatype_predefined(reduces(c) && bytes % 8 == 0 ? MPI_UINT64_T : MPI_BYTE);
}

static unsigned traits_of(const struct pretended *world, const struct pretended_call *call)
{
    size_t items = call->bytes / (size_t)type_of(call->list->collective, call->bytes)->size;
    unsigned traits = TRAIT_EQUAL | TRAIT_OUT_OF_PLACE | TRAIT_COMMUTATIVE;

    if (world->ranks % 2 == 0)
        traits |= TRAIT_EVEN;
    if (items >= (size_t)world->ranks)
        traits |= TRAIT_ITEMS;
    if (world->hosts > 1 && world->hosts < world->ranks)
        traits |= TRAIT_HOSTS | TRAIT_IN_ORDER;
    return traits;
}

int pretend_choice(const struct pretended *world, const struct choice_list *list, size_t bytes)
{
    struct pretended_call call = {.list = list, .bytes = bytes};
    struct choice_place place = {world->ranks, world->hosts, coll_rules_of(&hint_process)};

    return (int)(choice_make(&hint_process, list, pretend_rule_bytes(world, &call), place,
                             traits_of(world, &call)) -
                 list->algorithm);
}

bool pretend_is_possible(const struct pretended *world, const struct pretended_call *call)
{
    const struct choice_algorithm *a = &call->list->algorithm[call->algorithm];

    return a->build && (a->needs & ~traits_of(world, call)) == 0;
}

/* As the bodies of the collectives describe their calls (coll/coll.h); the root is rank 0. */
static struct coll_call pretend_call(const struct pretended *world, const struct pretended_call *call,
                                     struct coll_places *places)
{
    enum collective c = call->list->collective;
    struct datatype *type = type_of(c, call->bytes);
    MPI_Count each = c == COLL_BARRIER ? 0 : (MPI_Count)call->bytes / type->size, all = each * world->ranks;
    int rank = world->comm->rank;
    struct coll_call made = {.list = call->list,
                             .in = {input_at, each, type},
                             .out = {result_at, each, type},
                             .bytes = call->bytes,
                             .op = reduces(c) ? &op_predefined[OP_BXOR] : NULL,
                             .places = has_blocks(c) ? places : NULL};

    *places = (struct coll_places){.from = {.base = input_at, .each = each, .type = type},
                                   .to = {.base = result_at, .each = each, .type = type}};
    if (c == COLL_BCAST)
        made.in = made.out;
    if (c == COLL_ALLTOALL || c == COLL_REDUCE_SCATTER || (c == COLL_SCATTER && rank == 0))
        made.in.count = all;
    if (c == COLL_ALLTOALL || c == COLL_ALLGATHER || (c == COLL_GATHER && rank == 0))
        made.out.count = all;
    return made;
}

struct schedule *pretend_build(struct pretended *world, const struct pretended_call *call, int rank)
{
    struct coll_places places;
    struct coll_call made;
    struct schedule *s;

    world->comm->rank = rank;
    world->comm->hosts->mine = pretend_host(world, rank);
    made = pretend_call(world, call, &places);
    if (schedule_open(world->comm, FORM_PERSISTENT, made.op, &s))
        return NULL;
    call->list->algorithm[call->algorithm].build(s, &made);
    schedule_wait(s);
    if (!s->error)
        return s;
    schedule_free(s);
    return NULL;
}
