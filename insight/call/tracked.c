#include "insight/call/tracked.h"

#include <stdlib.h>

enum {
    FEW_BITS = 12, /* of buckets, at first */
    MORE_BITS = 3
};

static struct tracked *few[1 << FEW_BITS], **bucket = few;
static int bits = FEW_BITS;
static size_t records;
static bool is_visiting;
uint64_t tracked_gone;

static struct tracked **tracked_bucket(enum tracked_kind kind, uint64_t handle)
{
    uint64_t hash = (handle ^ (uint64_t)kind << 56) * 0x9e3779b97f4a7c15u;

    return &bucket[hash >> (64 - bits)];
}

static struct tracked **tracked_slot(enum tracked_kind kind, uint64_t handle)
{
    struct tracked **slot = tracked_bucket(kind, handle);

    while (*slot && ((*slot)->handle != handle || (*slot)->kind != kind))
        slot = &(*slot)->next;
    return slot;
}

static void tracked_hang_in(struct tracked *record, struct tracked **slot)
{
    record->next = *slot;
    record->at = slot;
    if (record->next)
        record->next->at = &record->next;
    *slot = record;
}

static void tracked_take_out(struct tracked *record)
{
    if (!record->at)
        return;
    *record->at = record->next;
    if (record->next)
        record->next->at = record->at;
    record->at = NULL;
    records--;
    tracked_gone += record->kind == TRACKED_TYPE || record->kind == TRACKED_COMM;
}

/* Into the new buckets, the last of the chain first: records with one handle keep their order. */
static void tracked_move(struct tracked *chain)
{
    struct tracked *reversed = NULL;

    for (struct tracked *next; chain; chain = next) {
        next = chain->next;
        chain->next = reversed;
        reversed = chain;
    }
    for (struct tracked *next; reversed; reversed = next) {
        next = reversed->next;
        tracked_hang_in(reversed, tracked_bucket(reversed->kind, reversed->handle));
    }
}

/* Buckets stay short however many requests are under way. */
static void tracked_grow(void)
{
    struct tracked **old = bucket, **more;
    size_t count = (size_t)1 << bits;

    if (records < 2 * count || is_visiting || !(more = calloc(count << MORE_BITS, sizeof(struct tracked *))))
        return;
    bucket = more;
    bits += MORE_BITS;
    for (size_t i = 0; i < count; i++)
        tracked_move(old[i]);
    if (old != few)
        free(old);
}

void *tracked_find(enum tracked_kind kind, uint64_t handle)
{
    return *tracked_slot(kind, handle);
}

void tracked_remove(enum tracked_kind kind, uint64_t handle)
{
    struct tracked *old = tracked_find(kind, handle);

    if (!old)
        return;
    tracked_take_out(old);
    free(old);
}

void tracked_detach(struct tracked *record)
{
    tracked_take_out(record);
}

void tracked_remove_of(enum tracked_kind kind, uint64_t handle, const void *variable)
{
    struct tracked *newest = tracked_find(kind, handle), *t = newest;

    while (t && (t->kind != kind || t->handle != handle || t->variable != variable))
        t = t->next;
    if (!t)
        t = newest;
    if (t)
        tracked_detach(t);
    free(t);
}

void tracked_hang_up(struct tracked *record)
{
    tracked_grow();
    tracked_hang_in(record, tracked_bucket(record->kind, record->handle)); /* the newest first */
    records++;
}

void tracked_put(enum tracked_kind kind, uint64_t handle, struct tracked *record,
                 const struct intercept *call)
{
    if (kind != TRACKED_REQUEST && kind != TRACKED_GROUP && kind != TRACKED_ERRHANDLER)
        tracked_remove(kind, handle);
    tracked_describe(record, kind, handle, call);
    tracked_hang_up(record);
}

bool tracked_is_incomplete;

void *tracked_must(void *memory)
{
    tracked_is_incomplete |= !memory;
    return memory;
}

void *tracked_add(enum tracked_kind kind, uint64_t handle, size_t size, const struct intercept *call)
{
    struct tracked *record = tracked_must(calloc(1, size));

    if (record)
        tracked_put(kind, handle, record, call);
    return record;
}

void tracked_each(enum tracked_kind kind, void (*visit)(struct tracked *record))
{
    bool was_visiting = is_visiting;

    is_visiting = true;
    for (size_t i = 0; i < (size_t)1 << bits; i++) {
        for (struct tracked *record = bucket[i], *next; record; record = next) {
            next = record->next;
            if (record->kind == kind)
                visit(record);
        }
    }
    is_visiting = was_visiting;
}
