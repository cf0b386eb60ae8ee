#include "win/win_memory.h"

#include "base/fail.h"
#include "coll/coll.h"
#include "memory/heap.h"
#include "memory/memory.h"
#include "p2p/lane.h"
#include "win/attachment.h"

#include <stdlib.h>
#include <string.h>

static size_t round_up(size_t bytes, size_t unit)
{
    return (bytes + unit - 1) / unit * unit;
}

static size_t segment_alignment(const struct win *win)
{
    size_t asked = (size_t)hint_value(&win->hints, HINT_MINIMUM_MEMORY_ALIGNMENT);
    size_t page = hint_value(&win->hints, HINT_SHARED_NONCONTIG) ? 4096 : MEMORY_ALIGNMENT;

    return asked > page ? asked : page;
}

/* What the first rank allocates before the segments. */
static size_t control_bytes(const struct win *win)
{
    size_t bytes = (size_t)win->size * sizeof(struct win_control);

    if (win->flavor == MPI_WIN_FLAVOR_DYNAMIC)
        bytes += (size_t)win->size * sizeof(struct attachments_shown);
    return bytes;
}

void *win_memory_map(struct win *win, int rank, uint64_t address, size_t bytes)
{
    struct peer *peer;
    void *at = NULL;

    if (rank == win->rank)
        return (void *)(uintptr_t)address;
    lane_take(&lanes[0]); /* peers are its holder's */
    peer = net_peer(0, win->comm->process[rank]);
    if (peer && address)
        at = net_map(peer, address, bytes);
    lane_release(&lanes[0]);
    return at;
}

/* The first rank's address of memory that all can map; 0: there is none. */
static uint64_t alloc_for_all(struct win *win, size_t bytes)
{
    if (win->rank || memory_alloc(bytes, segment_alignment(win), &win->shared_memory))
        return 0;
    memset(win->shared_memory, 0, control_bytes(win));
    return heap_holds(win->shared_memory, bytes) ? (uint64_t)(uintptr_t)win->shared_memory : 0;
}

/* The first rank allocates so many bytes for all. *at: where this rank maps them; NULL on all ranks: one of them
 * does not. */
static int share_block(struct win *win, size_t bytes, unsigned char **at)
{
    uint64_t address = alloc_for_all(win, bytes), maps;
    int error = coll_bcast(&address, 1, datatype_predefined(MPI_UINT64_T), 0, win->comm, FORM_BLOCKING, NULL);

    *at = error || !address ? NULL : win_memory_map(win, 0, address, bytes);
    maps = *at != NULL;
    if (!error)
        error = coll_agree(win->comm, &maps, NULL);
    if (error || maps)
        return error;
    *at = NULL;
    if (win->shared_memory)
        memory_free(win->shared_memory);
    win->shared_memory = NULL;
    return MPI_SUCCESS;
}

/* The control blocks lie at `at`. */
static void use_controls(struct win *win, unsigned char *at)
{
    win->is_shared = true;
    win->control = (struct win_control *)(void *)at;
    free(win->own_control);
    win->own_control = &win->control[win->rank];
}

/* Displacement of the segment of each rank from the first, when they lie one after the other; returns the sum. */
static size_t sum_of_segments(struct win *win, size_t *mine)
{
    size_t sum = 0;

    for (int r = 0; r < win->size; r++) {
        if (r == win->rank)
            *mine = sum;
        win->segment[r].address = sum;
        sum += (size_t)win->segment[r].bytes;
    }
    return sum;
}

/* All segments one after the other, in memory of the first rank. *is_done: false: it has none that all map. */
static int place_together(struct win *win, bool is_uniform, bool *is_done)
{
    size_t head = round_up(control_bytes(win), segment_alignment(win)), mine, sum;
    unsigned char *at;
    int error;

    win->stride = win->flavor == MPI_WIN_FLAVOR_SHARED
                      ? (size_t)win->mine.bytes
                      : round_up((size_t)win->mine.bytes, segment_alignment(win));
    mine = (size_t)win->rank * win->stride;
    sum = is_uniform ? (size_t)win->size * win->stride : sum_of_segments(win, &mine);
    error = share_block(win, head + sum, &at);
    *is_done = !error && at;
    if (!*is_done)
        return error;
    use_controls(win, at);
    win->is_exposed = win->is_together = true;
    win->mine.at = at + head + mine;
    win->mine.address = (uint64_t)(uintptr_t)win->mine.at; /* as this rank sees it */
    win->first_segment = win->mine;
    win->first_segment.at = at + head;
    win->first_segment.address = (uint64_t)(uintptr_t)(at + head);
    for (int r = 0; r < win->size && !is_uniform; r++) {
        win->segment[r].at = at + head + win->segment[r].address;
        win->segment[r].address = (uint64_t)(uintptr_t)win->segment[r].at;
    }
    if (is_uniform) {
        free(win->segment);
        win->segment = NULL;
    }
    return MPI_SUCCESS;
}

/* Maps what this rank can; the segments of all are known. */
static void map_segments(struct win *win)
{
    for (int r = 0; r < win->size; r++) {
        struct win_segment *s = &win->segment[r];

        s->at = NULL;
        if (r == win->rank || (win->is_shared && s->bytes))
            s->at = win_memory_map(win, r, s->address, (size_t)s->bytes);
    }
}

/* This rank's own memory. No memory is told to the others as a negative size. */
static void alloc_mine(struct win *win)
{
    bool is_allocated = win->flavor == MPI_WIN_FLAVOR_ALLOCATE || win->flavor == MPI_WIN_FLAVOR_SHARED;

    if (is_allocated && memory_alloc((size_t)win->mine.bytes, segment_alignment(win), &win->memory)) {
        win->mine.bytes = -1;
        return;
    }
    if (is_allocated)
        win->mine.at = win->memory;
    win->mine.address = (uint64_t)(uintptr_t)win->mine.at;
    win->is_exposed = heap_holds(win->mine.at, (size_t)win->mine.bytes);
}

static int check_segments(const struct win *win)
{
    for (int r = 0; r < win->size; r++)
        if (win->segment[r].bytes < 0)
            return fail(MPI_ERR_NO_MEM, "rank %d has no memory for its segment of the window", r);
    return MPI_SUCCESS;
}

static int exchange_segments(struct win *win)
{
    return coll_allgather_bytes(win->comm, &win->mine, win->segment, sizeof win->mine);
}

/* Each rank's segment is its own memory. */
static int place_apart(struct win *win)
{
    unsigned char *at;
    int error;

    alloc_mine(win);
    error = exchange_segments(win);
    if (!error)
        error = check_segments(win);
    if (!error)
        error = share_block(win, control_bytes(win), &at);
    if (error)
        return error;
    if (at)
        use_controls(win, at);
    win->is_exposed = win->is_exposed && win->is_shared;
    map_segments(win);
    return MPI_SUCCESS;
}

/* Every segment of a window of MPI_Win_allocate_shared must be mapped by all. */
static int check_shared(struct win *win)
{
    uint64_t maps = 1;
    int error;

    for (int r = 0; win->segment && r < win->size; r++)
        maps = maps && (win->segment[r].at || !win->segment[r].bytes);
    maps = maps && (win->is_shared || win->size == 1);
    error = coll_agree(win->comm, &maps, NULL);
    if (error || maps)
        return error;
    return fail(
        MPI_ERR_RMA_SHARED,
        "the ranks share no memory for the window; split the communicator with MPI_COMM_TYPE_SHARED first");
}

int win_memory_place(struct win *win, bool is_uniform)
{
    bool is_shared = win->flavor == MPI_WIN_FLAVOR_SHARED, is_done = false;
    bool is_contiguous = is_shared && win->size > 1 && !hint_value(&win->hints, HINT_SHARED_NONCONTIG);
    int error = MPI_SUCCESS;

    if (is_contiguous && !is_uniform)
        error = exchange_segments(win);
    if (!error && (is_contiguous || (is_uniform && win->flavor == MPI_WIN_FLAVOR_ALLOCATE)))
        error = place_together(win, is_uniform, &is_done);
    if (!error && !is_done && !is_contiguous)
        error = place_apart(win);
    return error || !is_shared ? error : check_shared(win);
}

/* Whether this process keeps addresses in memory of this rank. */
static bool keeps_addresses(const struct win *win, int rank)
{
    if (rank == win->rank || !win->is_shared)
        return false;
    return rank == 0 || win->flavor == MPI_WIN_FLAVOR_DYNAMIC || (!win->is_together && win->segment[rank].at);
}

/* Processes of this job do not outlive each other. */
static bool may_lose_members(const struct win *win)
{
    return win->comm && win->comm->group->has_guests;
}

int win_memory_hold(struct win *win)
{
    int error = MPI_SUCCESS;

    if (!may_lose_members(win))
        return MPI_SUCCESS;
    lane_take(&lanes[0]);
    for (; win->holds < win->size && !error; win->holds++) {
        struct peer *peer =
            keeps_addresses(win, win->holds) ? net_peer(0, win->comm->process[win->holds]) : NULL;

        if (peer && peer->lost)
            error = fail(MPI_ERR_PROC_ABORTED, "rank %d of the window is lost: %s", win->holds, peer->lost);
        if (peer && peer->transport->hold)
            peer->transport->hold(peer, 1);
    }
    lane_release(&lanes[0]);
    return error;
}

void win_memory_let_go(struct win *win)
{
    lane_take(&lanes[0]);
    while (win->holds > 0) {
        struct peer *peer =
            keeps_addresses(win, --win->holds) ? net_peers[0][win->comm->process[win->holds]] : NULL;

        if (peer && peer->transport->hold)
            peer->transport->hold(peer, -1);
    }
    lane_release(&lanes[0]);
}

static bool reaches(struct win *win, int rank)
{
    struct peer *peer;
    bool can;

    if (rank == win->rank || (win->flavor != MPI_WIN_FLAVOR_DYNAMIC && win->segment &&
                              (win->segment[rank].at || !win->segment[rank].bytes)))
        return true;
    lane_take(&lanes[0]);
    peer = net_peer(0, win->comm->process[rank]);
    can = peer && net_can_get(peer, 0, 0) && net_can_put(peer, 0, 0);
    lane_release(&lanes[0]);
    return can;
}

int win_memory_is_reached(struct win *win, bool *is_reached)
{
    uint64_t reached = win->is_shared || win->size == 1;
    int error;

    for (int r = 0; r < win->size && reached && win->segment; r++)
        reached = reaches(win, r);
    error = coll_agree(win->comm, &reached, NULL);
    *is_reached = reached;
    return error;
}
