#include "net/ucx/own_memory.h"

#include "plain/keyed_hash.h"

#include <stdlib.h>

enum {
    REGION_BUCKETS = 256
};

static struct link region[REGION_BUCKETS];

/* An unused bucket is of zeros. */
static struct link *own_memory_bucket_of(uint64_t key)
{
    struct link *bucket = &region[key % REGION_BUCKETS];

    if (!bucket->next)
        list_init(bucket);
    return bucket;
}

struct memory_region *own_memory_new(const void *memory, size_t bytes, enum exposure exposure)
{
    struct memory_region *r = malloc(sizeof *r);

    if (!r)
        return NULL;
    *r = (struct memory_region){.memory = (char *)(uintptr_t)memory, .bytes = bytes, .exposure = exposure};
    if (keyed_number_make(&r->key) || r->key == 0) {
        free(r);
        return NULL;
    }
    list_init(&r->readers);
    list_init(&r->link);
    list_add(own_memory_bucket_of(r->key), &r->link);
    return r;
}

void own_memory_hide(struct memory_region *r)
{
    list_remove(&r->link);
    list_init(&r->link);
}

void own_memory_free(struct memory_region *r)
{
    own_memory_hide(r);
    r->is_freed = true;
    if (!r->leaving)
        free(r);
}

struct memory_region *own_memory_find(uint64_t key, enum exposure exposure)
{
    struct link *bucket = own_memory_bucket_of(key);

    for (struct link *l = bucket->next; l != bucket; l = l->next) {
        struct memory_region *r = LIST_ENTRY(l, struct memory_region, link);

        if (r->key == key)
            return r->exposure == exposure ? r : NULL;
    }
    return NULL;
}
