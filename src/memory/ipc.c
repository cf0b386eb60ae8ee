#include "memory/ipc.h"

#include "base/lock.h"

#include <string.h>

struct ipc_import {
    struct ipc_export exported;
    void *at;      /* NULL: it was refused */
    uint64_t used; /* when it was used last; 0: the entry is free */
    int owner;
    int users; /* uses under way */
};

static struct ipc_import place[IPC_IMPORTS_MAX]; /* guarded by lock, and so is what follows */
static uint64_t now;
static unsigned long asked;
static struct lock lock = LOCK_INIT;

static void ipc_empty(struct ipc_import *b)
{
    if (b->at)
        kind_table[b->exported.kind].device->ipc_close(b->at);
    *b = (struct ipc_import){0};
}

static bool overlaps(const struct ipc_export *a, const struct ipc_export *b)
{
    return a->base < b->base + b->bytes && b->base < a->base + a->bytes;
}

/* Closes imports of memory that the owner has freed: another allocation lies there now. */
static void drop_stale(int owner, const struct ipc_export *exported)
{
    for (struct ipc_import *b = place; b < place + IPC_IMPORTS_MAX; b++)
        if (b->used && !b->users && b->owner == owner && b->exported.kind == exported->kind &&
            b->exported.id != exported->id && overlaps(&b->exported, exported))
            ipc_empty(b);
}

static struct ipc_import *ipc_find(int owner, const struct ipc_export *exported)
{
    for (struct ipc_import *b = place; b < place + IPC_IMPORTS_MAX; b++)
        if (b->used && b->owner == owner && memcmp(&b->exported, exported, sizeof *exported) == 0)
            return b;
    return NULL;
}

/* A free entry, or the least recently used one; NULL: all are in use. */
static struct ipc_import *ipc_make_room(void)
{
    struct ipc_import *oldest = NULL;

    for (struct ipc_import *b = place; b < place + IPC_IMPORTS_MAX; b++)
        if (!b->users && (!oldest || b->used < oldest->used))
            oldest = b;
    if (oldest)
        ipc_empty(oldest);
    return oldest;
}

static struct ipc_import *ask(int owner, const struct ipc_export *exported, const void *beside)
{
    struct ipc_import *b;

    drop_stale(owner, exported);
    b = ipc_make_room();
    if (!b)
        return NULL;
    asked++;
    *b = (struct ipc_import){.exported = *exported, .owner = owner};
    b->at = kind_table[exported->kind].device->ipc_import(exported, beside);
    return b;
}

struct ipc_import *ipc_import_begin(int owner, const struct ipc_export *exported, uint64_t address,
                                    size_t bytes, const void *beside, const void **at)
{
    uint64_t from = address - exported->base;
    struct ipc_import *b;

    if (from > exported->bytes || bytes > exported->bytes - from)
        return NULL;
    lock_always_take(&lock);
    b = ipc_find(owner, exported);
    if (!b)
        b = ask(owner, exported, beside);
    if (b) {
        b->used = ++now;
        if (b->at)
            b->users++;
        else
            b = NULL;
    }
    if (b)
        *at = (const char *)b->at + from;
    lock_always_release(&lock);
    return b;
}

void ipc_import_end(struct ipc_import *b)
{
    lock_always_take(&lock);
    b->users--;
    lock_always_release(&lock);
}

static void forget_if(bool all, int owner)
{
    lock_always_take(&lock);
    for (struct ipc_import *b = place; b < place + IPC_IMPORTS_MAX; b++)
        if (b->used && !b->users && (all || b->owner == owner))
            ipc_empty(b);
    lock_always_release(&lock);
}

void ipc_forget(int owner)
{
    forget_if(false, owner);
}

void ipc_forget_all(void)
{
    forget_if(true, 0);
}

int ipc_import_count(void)
{
    int count = 0;

    lock_always_take(&lock);
    for (const struct ipc_import *b = place; b < place + IPC_IMPORTS_MAX; b++)
        count += b->at != NULL;
    lock_always_release(&lock);
    return count;
}

unsigned long ipc_import_calls(void)
{
    unsigned long times;

    lock_always_take(&lock);
    times = asked;
    lock_always_release(&lock);
    return times;
}
