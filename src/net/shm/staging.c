#include "net/shm/staging.h"

#include "base/live.h"

#include <string.h>

enum {
    CHUNKS_WANTED = 16
};

void staging_init(struct staging *s, unsigned char *base, _Atomic uint64_t *busy, size_t size)
{
    size_t chunk = size / CHUNKS_WANTED;

    if (size > STAGING_MOST)
        size = STAGING_MOST;
    if (chunk < STAGING_CHUNK_MIN)
        chunk = STAGING_CHUNK_MIN;
    if (chunk > STAGING_CHUNK_MAX)
        chunk = STAGING_CHUNK_MAX;
    chunk &= ~(size_t)4095;
    *s = (struct staging){
        .base = base, .busy = busy, .chunk_size = (uint32_t)chunk, .chunks = (uint32_t)(size / chunk)};
}

/* -1: all are busy. */
static int staging_take(const struct staging *s)
{
    uint64_t all = s->chunks == 64 ? ~(uint64_t)0 : ((uint64_t)1 << s->chunks) - 1;
    uint64_t busy = atomic_load_explicit(s->busy, memory_order_relaxed);

    while (~busy & all) {
        uint64_t bit = (~busy & all) & -(~busy & all);

        if (atomic_compare_exchange_weak_explicit(s->busy, &busy, busy | bit, memory_order_acquire,
                                                  memory_order_relaxed))
            return __builtin_ctzll(bit);
    }
    return -1;
}

bool staging_fill(const struct staging *s, const void *payload, uint32_t length, struct staged *staged)
{
    int chunk = staging_take(s);

    if (chunk < 0)
        return false;
    memcpy(s->base + (size_t)chunk * s->chunk_size, payload, length);
    *staged = (struct staged){(uint32_t)chunk, length};
    live_add(LIVE_CHUNK, 1);
    return true;
}

void staging_give(const struct staging *s, uint32_t chunk)
{
    live_add(LIVE_CHUNK, -1);
    atomic_fetch_and_explicit(s->busy, ~((uint64_t)1 << chunk), memory_order_release);
}

const void *staging_payload(const struct staging *s, const struct staged *staged)
{
    if (staged->chunk >= s->chunks || staged->length > s->chunk_size)
        return NULL;
    return s->base + (size_t)staged->chunk * s->chunk_size;
}
