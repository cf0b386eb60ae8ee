#include "insight/tracked.h"

#include <stdlib.h>

enum {
    TRACKED_BUCKETS = 4096
};

static struct tracked *bucket[TRACKED_BUCKETS];

static struct tracked **tracked_slot(enum tracked_kind kind, uint64_t handle)
{
    uint64_t hash = (handle ^ (uint64_t)kind << 56) * 0x9e3779b97f4a7c15u;
    struct tracked **slot = &bucket[hash >> 52];

    while (*slot && ((*slot)->handle != handle || (*slot)->kind != kind))
        slot = &(*slot)->next;
    return slot;
}

void *tracked_find(enum tracked_kind kind, uint64_t handle)
{
    return *tracked_slot(kind, handle);
}

void tracked_remove(enum tracked_kind kind, uint64_t handle)
{
    struct tracked **slot = tracked_slot(kind, handle), *old = *slot;

    if (!old)
        return;
    *slot = old->next;
    free(old);
}

void tracked_detach(struct tracked *record)
{
    struct tracked **slot = tracked_slot(record->kind, record->handle);

    while (*slot && *slot != record)
        slot = &(*slot)->next;
    if (*slot)
        *slot = record->next;
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

void *tracked_add(enum tracked_kind kind, uint64_t handle, size_t size, const struct intercept *call)
{
    struct tracked **slot, *record = calloc(1, size);

    if (!record)
        return NULL;
    if (kind != TRACKED_REQUEST && kind != TRACKED_GROUP && kind != TRACKED_ERRHANDLER)
        tracked_remove(kind, handle);
    slot = tracked_slot(kind, handle);
    record->next = *slot;
    record->kind = kind;
    record->handle = handle;
    if (call) {
        record->site = call->site;
        record->maker = call->procedure;
    }
    record->is_ours = !call || call->is_of_binding;
    *slot = record;
    return record;
}

void tracked_each(enum tracked_kind kind, void (*visit)(struct tracked *record))
{
    for (int i = 0; i < TRACKED_BUCKETS; i++) {
        for (struct tracked *record = bucket[i], *next; record; record = next) {
            next = record->next;
            if (record->kind == kind)
                visit(record);
        }
    }
}
