#include "file/aggregators.h"

#include "base/live.h"
#include "base/round.h"
#include "boot/host.h"
#include "coll/coll.h"
#include "file/coverage.h"
#include "file/rounds.h"
#include "memory/heap.h"
#include "memory/memory.h"
#include "plain/fail.h"
#include "win/control.h"
#include "win/win_make.h"

#include <stdlib.h>
#include <unistd.h>

enum {
    ROOM_MOST = 64 << 10
};

/* What a rank tells of its host. */
struct rank_host {
    uint64_t host, cores;
};

struct host_ranks {
    int first;  /* rank */
    int ranks;  /* how many */
    int wanted; /* aggregators */
};

/* The ranks' hosts, in the order of their first ranks. Returns how many there are. */
static int sort_by_host(const struct rank_host *of, int size, struct host_ranks *host)
{
    int count = 0, h;

    for (int r = 0; r < size; r++) {
        for (h = 0; h < count && of[host[h].first].host != of[r].host; h++)
            ;
        if (h == count)
            host[count++] = (struct host_ranks){.first = r};
        host[h].ranks++;
    }
    return count;
}

/* How many aggregators each host has; returns the sum. */
static int count_aggregators(struct host_ranks *host, int hosts, const struct rank_host *of, int64_t cb_nodes)
{
    int sum = 0;

    for (int h = 0; h < hosts; h++) {
        uint64_t most =
            cb_nodes ? (uint64_t)(cb_nodes / hosts + (h < cb_nodes % hosts)) : of[host[h].first].cores;

        host[h].wanted = most < (uint64_t)host[h].ranks ? (int)most : host[h].ranks;
        sum += host[h].wanted;
    }
    return sum;
}

/* The rank that is the n-th of a host. */
static int rank_on(const struct rank_host *of, int first, int n)
{
    int r = first;

    while (n > 0)
        n -= of[++r].host == of[first].host;
    return r;
}

/* One of each host in turn, so that neighbouring windows are on different hosts. */
static void name_ranks(struct aggregators *a, const struct host_ranks *host, int hosts,
                       const struct rank_host *of, int me)
{
    int i = 0;

    for (int turn = 0; i < a->count; turn++)
        for (int h = 0; h < hosts; h++) {
            if (turn >= host[h].wanted)
                continue;
            a->rank[i] = rank_on(of, host[h].first, (int)((int64_t)turn * host[h].ranks / host[h].wanted));
            if (a->rank[i] == me)
                a->mine = i;
            i++;
        }
}

static MPI_Offset room_bytes(const struct hints *hints)
{
    MPI_Offset part = hint_value(hints, HINT_CB_BUFFER_SIZE) / 19; /* of 19 eighths: see window_bytes */

    return part > ROOM_MOST ? ROOM_MOST : part > 0 ? part : 1;
}

static MPI_Offset window_bytes(const struct file *file)
{
    MPI_Offset wanted = hint_value(&file->hints, HINT_CB_BLOCK_SIZE);
    MPI_Offset both = hint_value(&file->hints, HINT_CB_BUFFER_SIZE) - room_bytes(&file->hints);
    /* A ninth is the map of the covered bytes, and a 4096th of that the map of its words. */
    MPI_Offset fits = (both - both / 32768) / 9 * 4 - 3 * MEMORY_ALIGNMENT;

    if (fits >= file->block)
        fits -= fits % file->block;
    if (fits < 1)
        fits = 1;
    if (file->stripe && file->stripe <= fits)
        wanted = (wanted + file->stripe - 1) / file->stripe * file->stripe;
    if (file->stripe && wanted > fits)
        fits -= file->stripe <= fits ? fits % file->stripe : 0;
    return wanted < fits ? wanted : fits;
}

static struct aggregators *choose(struct file *file, const struct rank_host *of, struct host_ranks *host)
{
    int hosts = sort_by_host(of, file->size, host);
    int count = count_aggregators(host, hosts, of, hint_value(&file->hints, HINT_CB_NODES));
    struct aggregators *a = calloc(1, sizeof *a + (size_t)count * sizeof a->rank[0]);

    if (!a)
        return NULL;
    *a = (struct aggregators){.count = count,
                              .mine = -1,
                              .nodes = hint_value(&file->hints, HINT_CB_NODES),
                              .window = window_bytes(file),
                              .room = room_bytes(&file->hints)};
    name_ranks(a, host, hosts, of, file->rank);
    a->part = calloc((size_t)file->size, sizeof *a->part);
    a->stretch = calloc((size_t)file->size, sizeof *a->stretch);
    if (a->part && a->stretch) {
        live_add(LIVE_AGGREGATORS, 1);
        return a;
    }
    free(a->part);
    free(a->stretch);
    free(a);
    return NULL;
}

int aggregators_of(struct file *file, struct aggregators **found)
{
    struct rank_host mine, *all = NULL;
    struct host_ranks *host = NULL;
    uint64_t is_lacking;
    int error;

    *found = file->aggregators;
    if (file->aggregators)
        return MPI_SUCCESS;
    mine = (struct rank_host){host_mine(), (uint64_t)sysconf(_SC_NPROCESSORS_ONLN)}; /* reads a file */
    all = malloc((size_t)file->size * sizeof *all);
    host = calloc((size_t)file->size, sizeof *host);
    is_lacking = !all || !host;
    error = coll_agree(file->comm, NULL, &is_lacking);
    if (!error && !is_lacking) {
        error = coll_allgather_bytes(file->comm, &mine, all, sizeof mine);
        *found = error ? NULL : choose(file, all, host);
        is_lacking = !*found;
    }
    free(all);
    free(host);
    if (!error)
        error = coll_agree(file->comm, NULL, &is_lacking);
    file->aggregators = *found;
    if (error || !is_lacking)
        return error;
    aggregators_free(file);
    return fail(MPI_ERR_NO_MEM, "no memory for the aggregators of %d ranks, here or on another rank",
                file->size);
}

/* Which ranks map which buffers. */
static int exchange_maps(struct file *file, struct aggregators *a, const uint64_t *address, size_t bytes)
{
    unsigned char *maps = &a->mapped[(size_t)file->rank * (size_t)a->count];

    for (int i = 0; i < a->count; i++) {
        if (i != a->mine)
            a->at[i] = win_memory_map(file->win, a->rank[i], address[a->rank[i]], bytes);
        maps[i] = a->at[i] != NULL;
    }
    return coll_allgather_bytes(file->comm, maps, a->mapped, (size_t)a->count);
}

/* Each aggregator has made its buffer, or has not. */
static int exchange_buffers(struct file *file, struct aggregators *a, size_t bytes)
{
    uint64_t mine = heap_holds(a->buffer, bytes) ? (uint64_t)(uintptr_t)a->buffer : 0,
             *address = malloc((size_t)file->size * sizeof *address);
    uint64_t is_lacking = !address || !a->at || !a->mapped || !a->parcel || (a->mine >= 0 && !a->buffer);
    int error = coll_agree(file->comm, NULL, &is_lacking);

    if (!error && is_lacking)
        error = fail(MPI_ERR_NO_MEM,
                     "no memory for the buffers of collective accesses, %zu bytes on some ranks", bytes);
    if (!error)
        error = coll_allgather_bytes(file->comm, &mine, address, sizeof mine);
    if (!error)
        error = exchange_maps(file, a, address, bytes);
    free(address);
    return error;
}

/* Where a rank has died others may still copy into the buffer: it stays. */
static void close_buffers(struct file *file, struct aggregators *a)
{
    if (a->buffer && !control_check_targets(file->win))
        memory_free(a->buffer);
    free(a->at);
    free(a->mapped);
    free(a->parcel);
    a->parcel = NULL;
    a->buffer = NULL;
    a->at = NULL;
    a->mapped = NULL;
}

/* What comes before the window in a half. */
static size_t head_bytes(MPI_Offset window)
{
    return MEMORY_ALIGNMENT + round_up(coverage_bytes(window), MEMORY_ALIGNMENT);
}

static size_t half_bytes(MPI_Offset window)
{
    return head_bytes(window) + round_up((size_t)window, MEMORY_ALIGNMENT);
}

struct aggregator_half aggregators_half(const struct aggregators *a, int aggregator, MPI_Offset round)
{
    unsigned char *at = a->at[aggregator];

    if (!at)
        return (struct aggregator_half){0};
    at += (size_t)(round % 2) * half_bytes(a->window);
    return (struct aggregator_half){(MPI_Offset *)(void *)at, coverage_at(at + MEMORY_ALIGNMENT, a->window),
                                    at + head_bytes(a->window)};
}

unsigned char *aggregators_room(const struct aggregators *a)
{
    return (unsigned char *)a->buffer + 2 * half_bytes(a->window);
}

/* An aggregator's own, before others know of them. */
static void clear_halves(struct aggregators *a)
{
    a->at[a->mine] = a->buffer;
    for (int round = 0; round < 2; round++) {
        struct aggregator_half half = aggregators_half(a, a->mine, round);

        coverage_init(&half.covered);
    }
}

int aggregators_open(struct file *file, struct aggregators *a)
{
    size_t bytes = 2 * half_bytes(a->window) + (size_t)a->room;
    int error;

    if (a->at)
        return MPI_SUCCESS;
    a->at = calloc((size_t)a->count, sizeof *a->at);
    a->mapped = calloc((size_t)a->count, (size_t)file->size);
    a->parcel = calloc((size_t)a->count, sizeof *a->parcel);
    if (a->mine >= 0 && memory_alloc(bytes, MEMORY_ALIGNMENT, &a->buffer))
        a->buffer = NULL;
    if (a->buffer && a->at)
        clear_halves(a);
    error = exchange_buffers(file, a, bytes);
    if (error)
        close_buffers(file, a);
    return error;
}

void aggregators_free(struct file *file)
{
    if (!file->aggregators)
        return;
    live_add(LIVE_AGGREGATORS, -1);
    close_buffers(file, file->aggregators);
    free(file->aggregators->part);
    free(file->aggregators->stretch);
    free(file->aggregators);
    file->aggregators = NULL;
}

void aggregators_adapt(struct file *file)
{
    const struct aggregators *a = file->aggregators;

    if (a && (a->nodes != hint_value(&file->hints, HINT_CB_NODES) || a->window != window_bytes(file) ||
              a->room != room_bytes(&file->hints)))
        aggregators_free(file);
}
