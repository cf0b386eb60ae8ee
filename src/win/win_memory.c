#include "win/win_make.h"

#include "base/round.h"
#include "coll/coll.h"
#include "memory/heap.h"
#include "memory/memory.h"
#include "p2p/lane.h"
#include "p2p/lost.h"
#include "plain/fail.h"
#include "win/attachment.h"
#include "win/control.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

/* Of a segment for which somebody asked for `asked`. */
static size_t segment_alignment(const struct win *win, int64_t asked)
{
    size_t page = hint_value(&win->hints, HINT_SHARED_NONCONTIG) ? 4096 : MEMORY_ALIGNMENT;

    return (size_t)asked > page ? (size_t)asked : page;
}

/* What is shared of so many ranks besides the segments. */
static size_t control_bytes(const struct win *win, int ranks)
{
    bool is_dynamic = win->flavor == MPI_WIN_FLAVOR_DYNAMIC;

    return (size_t)ranks * (sizeof(struct win_control) + (is_dynamic ? sizeof(struct attachments_shown) : 0));
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

/* The address of memory of this rank's that others can map, zero at first where `ranks` ranks have their control
 * blocks; 0: there is none. */
static uint64_t alloc_shared_memory(struct win *win, size_t bytes, size_t alignment, int ranks)
{
    if (memory_alloc(bytes, alignment, &win->shared_memory))
        return 0;
    memset(win->shared_memory, 0, control_bytes(win, ranks));
    return heap_holds(win->shared_memory, bytes) ? (uint64_t)(uintptr_t)win->shared_memory : 0;
}

static void free_shared_memory(struct win *win)
{
    if (win->shared_memory)
        memory_free(win->shared_memory);
    win->shared_memory = NULL;
}

/* The least of the ranks' values, and of their complements. */
struct promised {
    int64_t bytes, no_bytes, unit, no_unit;
};

static int refuse_promise(struct win *win, int error, enum hint_id id, int64_t least, int64_t most,
                          int64_t mine)
{
    const char *origin = hint_origin(&win->hints, id);

    return fail(error, "%s=true was given in %s, but the values go from %lld to %lld; rank %d has %lld",
                hint_table[id].key, origin ? origin : "the info", (long long)least, (long long)most,
                win->rank, (long long)mine);
}

/* One of the promises is false; all ranks say which. */
static int refuse_promises(struct win *win)
{
    struct promised p = {win->mine.bytes, ~win->mine.bytes, win->mine.unit, ~win->mine.unit};
    int error = coll_allreduce(MPI_IN_PLACE, &p, 4, datatype_predefined(MPI_INT64_T), &op_predefined[OP_MIN],
                               win->comm, FORM_BLOCKING, NULL, NULL);

    if (error)
        return error;
    if (hint_value(&win->hints, HINT_SAME_SIZE) && p.bytes != ~p.no_bytes)
        return refuse_promise(win, MPI_ERR_SIZE, HINT_SAME_SIZE, p.bytes, ~p.no_bytes, win->mine.bytes);
    return refuse_promise(win, MPI_ERR_DISP, HINT_SAME_DISP_UNIT, p.unit, ~p.no_unit, win->mine.unit);
}

/* What the first rank tells the others. */
struct offer {
    uint64_t address; /* of shared memory; 0: there is none */
    MPI_Aint bytes, unit;
};

/* What same_size and same_disp_unit promise is true of this rank, if it is of all. */
static bool keeps_promises(const struct win *win, const struct offer *first)
{
    return (!hint_value(&win->hints, HINT_SAME_SIZE) || win->mine.bytes == first->bytes) &&
           (!hint_value(&win->hints, HINT_SAME_DISP_UNIT) || win->mine.unit == first->unit);
}

enum {
    BLOCK_IS_ALLOCATED = 1, /* or has not been asked for, since others could not map it */
    BLOCK_IS_MAPPED = 2,
    PROMISES_ARE_KEPT = 4
};

/* A rank's answer to an offer, which it maps at `at`. */
static uint64_t facts_of(const struct win *win, const struct offer *offer, const void *at)
{
    return (win->rank || win->shared_memory ? BLOCK_IS_ALLOCATED : 0) | (at ? BLOCK_IS_MAPPED : 0) |
           (keeps_promises(win, offer) ? PROMISES_ARE_KEPT : 0);
}

/* What all ranks' answers have in common makes it an error; MPI_ERR_NO_MEM where the segments can lie nowhere else. */
static int check_facts(struct win *win, uint64_t facts)
{
    if (!(facts & PROMISES_ARE_KEPT))
        return refuse_promises(win);
    if (win->flavor != MPI_WIN_FLAVOR_SHARED || facts & BLOCK_IS_ALLOCATED)
        return MPI_SUCCESS;
    return fail(MPI_ERR_NO_MEM,
                "rank 0 has no memory for the segments of %d ranks, of which this one asks for %lld bytes",
                win->size, (long long)win->mine.bytes);
}

/* The first rank allocates so many bytes for all, 0: it does not. Nor does it where some rank is on another host and would
 * not map them. Each rank says as many if the promises are true. *at: where this rank maps them; NULL on all ranks: one of
 * them does not. Fails if a promise is false. */
static int share_block(struct win *win, size_t bytes, size_t alignment, unsigned char **at)
{
    bool may_map = win->size == 1 || net_shares_host(win->comm->process, win->size),
         offers = bytes && may_map;
    struct offer offer = {win->rank || !offers ? 0 : alloc_shared_memory(win, bytes, alignment, win->size),
                          win->mine.bytes, win->mine.unit};
    uint64_t facts;
    int error = coll_bcast(&offer, sizeof offer, datatype_predefined(MPI_BYTE), 0, win->comm, FORM_BLOCKING,
                           NULL, NULL);

    *at = error || !offer.address || !bytes ? NULL : win_memory_map(win, 0, offer.address, bytes);
    facts = facts_of(win, &offer, *at) | (may_map ? 0 : BLOCK_IS_ALLOCATED);
    if (!error)
        error = coll_agree(win->comm, &facts, NULL);
    if (!error)
        error = check_facts(win, facts);
    if (error || facts & BLOCK_IS_MAPPED)
        return error;
    *at = NULL;
    free_shared_memory(win);
    return MPI_SUCCESS;
}

/* The control blocks of so many ranks lie at `at`, this one's at this place. */
static void use_controls(struct win *win, unsigned char *at, int controls, int place)
{
    win->control = (struct win_control *)(void *)at;
    win->controls = controls;
    free(win->own_control);
    win->own_control = &win->control[place];
}

static void use_controls_of_all(struct win *win, unsigned char *at)
{
    win->is_shared = true;
    use_controls(win, at, win->size, win->rank);
}

/* Where the segments of all ranks lie in memory of the first. */
struct together {
    size_t head;  /* bytes before them: the control blocks */
    size_t mine;  /* bytes from there to this rank's */
    size_t bytes; /* head and segments; 0: more than a number holds */
};

/* Displacement of the segment of each rank from the first, when they lie one after the other. False: their sum is more
 * than a number holds. */
static bool sum_segments(struct win *win, size_t *mine, size_t *sum)
{
    *sum = 0;
    for (int r = 0; r < win->size; r++) {
        if (r == win->rank)
            *mine = *sum;
        win->segment[r].address = *sum;
        if (__builtin_add_overflow(*sum, (size_t)win->segment[r].bytes, sum))
            return false;
    }
    return true;
}

/* The same where all have one distance. */
static bool multiply_segments(struct win *win, size_t alignment, size_t *mine, size_t *sum)
{
    win->stride = win->flavor == MPI_WIN_FLAVOR_SHARED ? (size_t)win->mine.bytes
                                                       : round_up((size_t)win->mine.bytes, alignment);
    if (__builtin_mul_overflow((size_t)win->size, win->stride, sum))
        return false;
    *mine = (size_t)win->rank * win->stride;
    return true;
}

static struct together plan_together(struct win *win, bool is_uniform, size_t alignment)
{
    struct together t = {.head = round_up(control_bytes(win, win->size), alignment)};
    size_t sum;
    bool fits =
        is_uniform ? multiply_segments(win, alignment, &t.mine, &sum) : sum_segments(win, &t.mine, &sum);

    if (!fits || __builtin_add_overflow(t.head, sum, &t.bytes))
        t.bytes = 0;
    return t;
}

/* The segments lie behind `at`. */
static void use_together(struct win *win, unsigned char *at, size_t mine, bool is_uniform)
{
    win->is_exposed = win->is_together = true;
    win->mine.at = at + mine;
    win->mine.address = (uint64_t)(uintptr_t)win->mine.at; /* as this rank sees it */
    win->first_segment = win->mine;
    win->first_segment.at = at;
    win->first_segment.address = (uint64_t)(uintptr_t)at;
    for (int r = 0; r < win->size && !is_uniform; r++) {
        win->segment[r].at = at + win->segment[r].address;
        win->segment[r].address = (uint64_t)(uintptr_t)win->segment[r].at;
    }
    if (is_uniform) {
        free(win->segment);
        win->segment = NULL;
    }
}

/* All segments one after the other, in memory of the first rank. *is_done: false: it has none that all map. */
static int place_together(struct win *win, bool is_uniform, bool *is_done)
{
    size_t alignment = segment_alignment(win, win->alignment);
    struct together t = plan_together(win, is_uniform, alignment);
    unsigned char *at;
    int error = share_block(win, t.bytes, alignment, &at);

    *is_done = !error && at;
    if (!*is_done)
        return error;
    use_controls_of_all(win, at);
    use_together(win, at + t.head, t.mine, is_uniform);
    return MPI_SUCCESS;
}

/* Maps what this rank can; the segments of all are known. */
static void map_segments(struct win *win)
{
    for (int r = 0; r < win->segments; r++) {
        struct win_segment *s = win->segment ? &win->segment[r] : &win->first_segment;
        bool is_exposed = s->at != NULL && s->bytes && win_maps_control(win, r);

        s->at = r == win->rank || is_exposed ? win_memory_map(win, r, s->address, (size_t)s->bytes) : NULL;
        win->lacks_mappings = win->lacks_mappings || (is_exposed && !s->at);
    }
}

/* This rank's own memory. No memory is told to the others as a negative size. */
static void alloc_mine(struct win *win)
{
    bool is_allocated = win->flavor == MPI_WIN_FLAVOR_ALLOCATE || win->flavor == MPI_WIN_FLAVOR_SHARED;

    int64_t asked = hint_value(&win->hints, HINT_MINIMUM_MEMORY_ALIGNMENT);

    if (win->rank >= win->segments)
        return;
    if (is_allocated && memory_alloc((size_t)win->mine.bytes, segment_alignment(win, asked), &win->memory)) {
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
    for (int r = 0; r < win->segments; r++)
        if (win_segment_of(win, r).bytes < 0)
            return fail(MPI_ERR_NO_MEM, "rank %d has no memory for its segment of the window", r);
    return MPI_SUCCESS;
}

/* `at` tells the others, to whom it says nothing else, whether they may map the segment. */
static int exchange_segments(struct win *win)
{
    struct win_segment mine = win->mine;

    if (!win->is_exposed)
        mine.at = NULL;
    if (win->segment)
        return coll_allgather_bytes(win->comm, &mine, win->segment, sizeof mine);
    win->first_segment = mine;
    return win->segments ? coll_bcast(&win->first_segment, sizeof mine, datatype_predefined(MPI_BYTE), 0,
                                      win->comm, FORM_BLOCKING, NULL, NULL)
                         : MPI_SUCCESS;
}

static bool kernel_copies(struct win *win, int rank)
{
    struct peer *peer;
    bool can;

    lane_take(&lanes[0]);
    peer = net_peer(0, win->comm->process[rank]);
    can = peer && net_can_copy(peer, 0, 0);
    lane_release(&lanes[0]);
    return can;
}

static void find_copied(struct win *win)
{
    for (int r = 0; win->neighbour && r < win->size; r++)
        if (r != win->rank && win->neighbour[r].control >= 0)
            win->neighbour[r].is_copied = kernel_copies(win, r);
}

/* Which ranks are on this one's host, in the order of their control blocks; returns the first. `host`: of all. */
static int find_neighbours(struct win *win, const uint64_t *host)
{
    int first = win->rank;

    for (int r = win->size - 1; r >= 0; r--)
        if (host[r] && host[r] == host[win->rank])
            first = r;
    for (int r = 0; r < win->size; r++) {
        bool is_here = host[r] && host[r] == host[win->rank];

        win->neighbour[r].control = is_here ? win->controls++ : -1;
    }
    return first;
}

/* The first rank of each host allocates the control blocks of its neighbours. `word`: room for a word of each
 * rank. */
static int share_with_neighbours(struct win *win, uint64_t *word)
{
    uint64_t mine = net_host(), maps = 1;
    unsigned char *at = NULL;
    int error = coll_allgather_bytes(win->comm, &mine, word, sizeof mine), first;

    if (error)
        return error;
    first = find_neighbours(win, word);
    mine = first == win->rank && win->controls > 1
               ? alloc_shared_memory(win, control_bytes(win, win->controls), MEMORY_ALIGNMENT, win->controls)
               : 0;
    error = coll_allgather_bytes(win->comm, &mine, word, sizeof mine);
    if (!error && win->controls > 1) {
        at = word[first] ? win_memory_map(win, first, word[first], control_bytes(win, win->controls)) : NULL;
        maps = at != NULL;
    }
    if (!error)
        error = coll_agree(win->comm, &maps, NULL);
    if (!error && maps && at)
        use_controls(win, at, win->controls, win->neighbour[win->rank].control);
    return error;
}

/* Ranks of one host share their control blocks. If some cannot, none do. */
static int share_on_hosts(struct win *win)
{
    uint64_t *word = malloc((size_t)win->size * sizeof *word), has_room;
    int error;

    win->neighbour = calloc((size_t)win->size, sizeof *win->neighbour);
    has_room = word && win->neighbour;
    error = coll_agree(win->comm, &has_room, NULL);
    if (!error && has_room)
        error = share_with_neighbours(win, word);
    free(word);
    if (win->control)
        return error;
    free(win->neighbour);
    win->neighbour = NULL;
    free_shared_memory(win);
    return error;
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
        error = share_block(win, control_bytes(win, win->size), MEMORY_ALIGNMENT, &at);
    if (!error && at)
        use_controls_of_all(win, at);
    else if (!error && control_may_lose(win)) /* several hosts */
        error = share_on_hosts(win);
    if (error)
        return error;
    win->is_exposed = win->is_exposed && win->control;
    map_segments(win);
    find_copied(win);
    return MPI_SUCCESS;
}

static int refuse_shared(void)
{
    struct rlimit files;

    if (getrlimit(RLIMIT_FSIZE, &files) == 0 && files.rlim_max != RLIM_INFINITY)
        return fail(
            MPI_ERR_RMA_SHARED,
            "the ranks share no memory for the window; run `ulimit -f unlimited` first: the limit on the "
            "size of files leaves %llu KiB for all processes of a host. Ranks of several hosts are to be "
            "split with MPI_COMM_TYPE_SHARED",
            (unsigned long long)files.rlim_max / 1024);
    return fail(
        MPI_ERR_RMA_SHARED,
        "the ranks share no memory for the window; split the communicator with MPI_COMM_TYPE_SHARED first");
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
    if ((size_t)win->alignment > HEAP_PAGE)
        return fail(MPI_ERR_RMA_SHARED,
                    "mpi_minimum_memory_alignment %lld: memory that ranks share has multiples of %zu at "
                    "most; ask for "
                    "less",
                    (long long)win->alignment, HEAP_PAGE);
    return refuse_shared();
}

int win_memory_place(struct win *win)
{
    bool is_uniform = hint_value(&win->hints, HINT_SAME_SIZE) && hint_value(&win->hints, HINT_SAME_DISP_UNIT);
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
    int place = win_control_place(win, rank);

    if (rank == win->rank || place < 0)
        return false;
    return place == 0 || win->flavor == MPI_WIN_FLAVOR_DYNAMIC ||
           (!win->is_together && rank < win->segments && win_segment_of(win, rank).at);
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
            error = fail(net_loss_class(), "rank %d of the window is lost: %s", win->holds, peer->lost);
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
    struct win_segment s = win_segment_of(win, rank);

    if (rank == win->rank || (win->flavor != MPI_WIN_FLAVOR_DYNAMIC && (s.at || !s.bytes)))
        return true;
    return kernel_copies(win, rank);
}

int win_memory_is_reached(struct win *win, bool *is_reached)
{
    uint64_t reached = win->is_shared || win->size == 1, lacks = win->lacks_mappings;
    int error;

    *is_reached = true;
    if (win->is_together)
        return MPI_SUCCESS;
    for (int r = 0; r < (win->segments ? win->segments : win->size) && reached; r++)
        reached = reaches(win, r);
    error = coll_agree(win->comm, &reached, &lacks);
    *is_reached = reached;
    win->lacks_mappings = lacks;
    return error;
}
