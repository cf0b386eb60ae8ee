#include "insight/objects/request_record.h"

#include <stdlib.h>

enum {
    FEW_BITS = 10, /* of buckets, at first */
    MORE_BITS = 3
};

static struct request_record *few[1 << FEW_BITS], **bucket = few;
static int bits = FEW_BITS;
static size_t records;

static struct request_record **request_table_bucket(uint64_t handle, const MPI_Request *variable)
{
    uint64_t hash = (handle * 31 ^ (uint64_t)(uintptr_t)variable) * 0x9e3779b97f4a7c15u;

    return &bucket[hash >> (64 - bits)];
}

static void request_table_put(struct request_record *r)
{
    struct request_record **slot = request_table_bucket(r->base.handle, r->variable);

    r->alike = *slot;
    r->alike_at = slot;
    if (r->alike)
        r->alike->alike_at = &r->alike;
    *slot = r;
}

/* Into the new buckets, the last of the chain first: the newest stays first. */
static void request_table_move(struct request_record *chain)
{
    struct request_record *reversed = NULL;

    for (struct request_record *next; chain; chain = next) {
        next = chain->alike;
        chain->alike = reversed;
        reversed = chain;
    }
    for (struct request_record *next; reversed; reversed = next) {
        next = reversed->alike;
        request_table_put(reversed);
    }
}

/* Buckets stay short. */
static inline bool is_full(void)
{
    return records >= (size_t)2 << bits;
}

__attribute__((noinline)) static void request_table_grow(void)
{
    struct request_record **old = bucket, **more;
    size_t count = (size_t)1 << bits;

    if (!(more = calloc(count << MORE_BITS, sizeof(struct request_record *))))
        return;
    bucket = more;
    bits += MORE_BITS;
    for (size_t i = 0; i < count; i++)
        request_table_move(old[i]);
    if (old != few)
        free(old);
}

void request_table_add(struct request_record *r)
{
    if (is_full())
        request_table_grow();
    request_table_put(r);
    records++;
}

void request_table_remove(struct request_record *r)
{
    if (!r->alike_at)
        return;
    *r->alike_at = r->alike;
    if (r->alike)
        r->alike->alike_at = r->alike_at;
    r->alike_at = NULL;
    records--;
}

/* In another variable. */
__attribute__((noinline)) static struct request_record *find_handle(uint64_t handle)
{
    if (!handle)
        return NULL;
    request_record_track_all();
    return tracked_find(TRACKED_REQUEST, handle);
}

struct request_record *request_table_find(uint64_t handle, const MPI_Request *variable)
{
    struct request_record *r = *request_table_bucket(handle, variable);

    while (r && (r->base.handle != handle || r->variable != variable))
        r = r->alike;
    return r ? r : find_handle(handle);
}
