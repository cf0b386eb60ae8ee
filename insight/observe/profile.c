#include "insight/observe/profile.h"

#include <stddef.h>
#include <string.h>

void profile_widen(struct profile *p)
{
    for (int lane = 0; lane < PROFILE_LANES; lane++) {
        float(*bin)[USES] = p->lane[lane].bin;

        if (!p->lane[lane].ranks) /* all 0, and best not touched: that takes memory and time */
            continue;
        for (int i = 0; i < PROFILE_BINS; i++)
            for (int use = 0; use < USES; use++)
                bin[i][use] = 2 * i < PROFILE_BINS ? bin[2 * i][use] + bin[2 * i + 1][use] : 0;
    }
    p->bin_ns *= 2;
}

static uint32_t merge_module(struct profile *all, const char *path)
{
    for (uint32_t i = 0; i < all->modules; i++)
        if (strcmp(all->module[i], path) == 0)
            return i + 1;
    if (all->modules == PROFILE_MODULES)
        return 0;
    memcpy(all->module[all->modules], path, PROFILE_PATH);
    return ++all->modules;
}

static struct profile_place merge_place(struct profile *all, const struct profile *part,
                                        struct profile_place place)
{
    if (place.module)
        place.module = merge_module(all, part->module[place.module - 1]);
    return place;
}

static bool is_same_place(struct profile_place a, struct profile_place b)
{
    return a.module == b.module && a.offset == b.offset;
}

/* The counts of an object are all uint64_t, from `ranks` on. */
static void add_object(struct profile_object *to, const struct profile_object *from)
{
    uint64_t order = to->order, size = to->size_hash, unit = to->unit_hash,
             mask = to->op_mask | from->op_mask;
    uint64_t *sum = &to->ranks;
    const uint64_t *more = &from->ranks;
    const size_t counts = (sizeof *to - offsetof(struct profile_object, ranks)) / sizeof *sum;

    to->order_differs += order != from->order;
    to->size_differs += size != from->size_hash;
    to->unit_differs += unit != from->unit_hash;
    for (size_t i = 0; i < counts; i++)
        sum[i] += more[i];
    to->order = order;
    to->size_hash = size;
    to->unit_hash = unit;
    to->op_mask = mask;
    if (from->has_names || strcmp(to->name, from->name) != 0) {
        to->has_names = true;
        to->name[0] = '\0';
    }
}

static int merge_object(struct profile *all, const struct profile *part, const struct profile_object *from)
{
    struct profile_place place = merge_place(all, part, from->place);

    for (uint32_t i = 0; i < all->objects; i++) {
        struct profile_object *to = &all->object[i];

        if (to->kind != from->kind || !is_same_place(to->place, place) ||
            strcmp(to->maker, from->maker) != 0 || (!from->maker[0] && strcmp(to->name, from->name) != 0))
            continue;
        add_object(to, from);
        return (int)i;
    }
    if (all->objects == PROFILE_OBJECTS) {
        all->has_lost_objects = true;
        return -1;
    }
    all->object[all->objects] = *from;
    all->object[all->objects].place = place;
    return (int)all->objects++;
}

static void merge_site(struct profile *all, const struct profile *part, const struct profile_site *from,
                       int object)
{
    struct profile_place place = merge_place(all, part, from->place);

    for (uint32_t i = 0; i < all->sites; i++) {
        struct profile_site *to = &all->site[i];

        if (to->object != object || !is_same_place(to->place, place) ||
            strcmp(to->procedure, from->procedure) != 0)
            continue;
        to->ranks += from->ranks;
        to->calls += from->calls;
        to->bytes += from->bytes;
        to->time += from->time;
        if (from->longest > to->longest)
            to->longest = from->longest;
        if (from->shortest < to->shortest) {
            to->shortest = from->shortest;
            to->shortest_rank = from->shortest_rank;
        }
        return;
    }
    if (all->sites == PROFILE_SITES)
        return;
    all->site[all->sites] = *from;
    all->site[all->sites].place = place;
    all->site[all->sites++].object = object;
}

static void merge_given(struct profile *all, const struct profile_given *from, int object)
{
    for (uint32_t i = 0; i < all->given; i++) {
        struct profile_given *to = &all->hint[i];

        if (to->object != object || strcmp(to->key, from->key) != 0 || strcmp(to->value, from->value) != 0 ||
            strcmp(to->now, from->now) != 0)
            continue;
        to->count += from->count;
        return;
    }
    if (all->given == PROFILE_GIVEN)
        return;
    all->hint[all->given] = *from;
    all->hint[all->given++].object = object;
}

static void add_lane(struct profile_lane *to, const struct profile_lane *from, int bins_each)
{
    to->ranks += from->ranks;
    to->sent += from->sent;
    to->sent_bytes += from->sent_bytes;
    if (from->unexpected > to->unexpected)
        to->unexpected = from->unexpected;
    for (int use = 0; use < USES; use++)
        to->time[use] += from->time[use];
    for (int i = 0; i < PROFILE_BINS; i++)
        for (int use = 0; use < USES; use++)
            to->bin[i / bins_each][use] += from->bin[i][use];
}

void profile_merge(struct profile *all, const struct profile *part)
{
    int number[PROFILE_OBJECTS];

    while (all->bin_ns < part->bin_ns)
        profile_widen(all);
    for (int from = 0; from < PROFILE_LANES; from++) {
        add_lane(&all->lane[from], &part->lane[from], (int)(all->bin_ns / part->bin_ns));
        for (int to = 0; to < PROFILE_LANES; to++) {
            all->messages[from][to] += part->messages[from][to];
            all->message_bytes[from][to] += part->message_bytes[from][to];
        }
    }
    if (part->elapsed > all->elapsed)
        all->elapsed = part->elapsed;
    all->has_lost_objects |= part->has_lost_objects;
    all->knows_unexpected &= part->knows_unexpected;
    all->has_threads |= part->has_threads;
    for (uint32_t i = 0; i < part->objects; i++)
        number[i] = merge_object(all, part, &part->object[i]);
    for (uint32_t i = 0; i < part->sites; i++)
        merge_site(all, part, &part->site[i], part->site[i].object < 0 ? -1 : number[part->site[i].object]);
    for (uint32_t i = 0; i < part->given; i++)
        merge_given(all, &part->hint[i], part->hint[i].object < 0 ? -1 : number[part->hint[i].object]);
}
