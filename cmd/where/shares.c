#include "cmd/where/job_view.h"

#include "plain/clock.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    RINGS_MOST = 256,    /* that are polled */
    SLOTS_MOST = 1 << 16 /* of a lane */
};

/* What says which rings are polled. */
struct polled {
    uint64_t watcher, readers;
    uint32_t slots, rings;
    uint32_t slot[RINGS_MOST];
};

static bool read_polled(const struct traced *t, uint64_t watcher, int lane, struct polled *p)
{
    const struct where_table *w = &t->table;

    memset(p, 0, sizeof *p);
    p->watcher = watcher;
    p->readers = traced_word(t, watcher + w->of_watcher.readers);
    p->slots = traced_half(t, traced_word(t, watcher + w->of_watcher.plan) + w->of_watcher.local_size);
    p->slots += lane ? 0 : w->of_watcher.guests;
    p->rings = traced_half(t, watcher + w->of_watcher.rings);
    if (!p->readers || p->slots > SLOTS_MOST || p->rings > RINGS_MOST)
        return false;
    for (uint32_t i = 0; i < p->rings; i++) {
        p->slot[i] =
            traced_half(t, watcher + w->of_watcher.watch + i * w->of_watcher.watch_size + w->of_watcher.slot);
        if (p->slot[i] >= p->slots)
            return false;
    }
    return true;
}

/* Those of rings that are not polled stand in `readers`, which is out of date for the others. */
static bool count_rings(const struct traced *t, const struct polled *p, uint64_t *messages)
{
    const struct where_table *w = &t->table;
    unsigned char *ring = malloc((size_t)p->slots * w->of_watcher.ring_size + 1);
    bool is_read = ring && traced_read(t, p->readers, ring, (size_t)p->slots * w->of_watcher.ring_size);
    uint64_t taken;

    for (uint32_t i = 0; is_read && i < p->rings; i++) {
        taken = traced_word(t, p->watcher + w->of_watcher.watch + i * w->of_watcher.watch_size +
                                   w->of_watcher.ring + w->of_watcher.taken);
        memcpy(ring + (size_t)p->slot[i] * w->of_watcher.ring_size + w->of_watcher.taken, &taken,
               sizeof taken);
    }
    for (uint32_t i = 0; is_read && i < p->slots; i++) {
        memcpy(&taken, ring + (size_t)i * w->of_watcher.ring_size + w->of_watcher.taken, sizeof taken);
        *messages += taken;
    }
    free(ring);
    return is_read;
}

/* How many messages a process has taken from others of its host, as the positions of its rings tell. A large message counts as often
 * as its protocol sends something. False: they changed while they were read. */
static bool received_count(const struct traced *t, uint64_t *messages)
{
    static struct polled before, after;
    const struct where_table *w = &t->table;

    *messages = 0;
    for (uint32_t lane = 0; lane < w->of_watcher.lanes; lane++) {
        uint64_t watcher = (uint64_t)(uintptr_t)w->watchers + (uint64_t)lane * w->of_watcher.size;

        if (!traced_word(t, watcher + w->of_watcher.open))
            continue;
        if (!read_polled(t, watcher, (int)lane, &before) || !count_rings(t, &before, messages) ||
            !read_polled(t, watcher, (int)lane, &after) || memcmp(&before, &after, sizeof after) != 0)
            return false;
    }
    return true;
}

static struct rank_view *find_here(const struct job_view *job, int rank)
{
    struct rank_view *v = job->rank[rank];

    return v && !*v->host ? v : NULL;
}

/* 0: it could not be read. */
static uint64_t count_messages(const struct traced *t, uint64_t *messages)
{
    return received_count(t, messages) || received_count(t, messages) ? clock_ns() : 0;
}

/* Since the second began. */
static double rate_of(const struct rank_view *v)
{
    uint64_t messages, now = count_messages(&v->traced, &messages);

    if (!now || !v->shares.since_ns || messages < v->shares.messages)
        return -1;
    return (double)(messages - v->shares.messages) * 1e9 / (double)(now - v->shares.since_ns);
}

void shares_begin(struct job_view *job)
{
    for (int r = 0; r < job->size; r++) {
        struct rank_view *v = find_here(job, r);

        if (!v)
            continue;
        v->shares = (struct rank_shares){.ticks = traced_ticks(v->traced.pid), .rate = -1};
        v->shares.since_ns = count_messages(&v->traced, &v->shares.messages);
    }
}

void shares_sample(struct job_view *job)
{
    static struct stack_copy copy;
    bool refused;

    for (int r = 0; r < job->size; r++) {
        struct rank_view *v = find_here(job, r);

        if (v && stack_capture(&v->traced, v->traced.pid, NULL, &copy, &refused))
            v->shares.waits += copy.has_wait;
    }
}

void shares_end(struct job_view *job)
{
    double hertz = (double)sysconf(_SC_CLK_TCK);

    for (int r = 0; r < job->size; r++) {
        struct rank_view *v = find_here(job, r);
        uint64_t ticks = v ? traced_ticks(v->traced.pid) : 0;

        if (!v)
            continue;
        v->shares.rate = rate_of(v);
        v->shares.core = ticks > v->shares.ticks ? (double)(ticks - v->shares.ticks) / hertz : 0;
    }
}
