#include "net/shm/arena.h"

#include "memory/heap.h"
#include "memory/memory.h"
#include "net/net.h"
#include "plain/fail.h"
#include "plain/memfd.h"

#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static size_t round_to_page(size_t bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);

    return (bytes + page - 1) & ~(page - 1);
}

/* Bytes before a lane's control words. */
static size_t head_size(int lane)
{
    return (lane ? 0 : sizeof(struct arena_head)) + sizeof(struct lane_head);
}

int arena_slots(const struct arena_plan *plan, int lane)
{
    return plan->local_size + (lane ? 0 : ARENA_GUESTS);
}

static size_t advert_offset(const struct arena_plan *plan, int lane)
{
    return head_size(lane) + (size_t)arena_slots(plan, lane) * sizeof(struct ring_control);
}

static size_t staging_offset(const struct arena_plan *plan, int lane)
{
    return round_to_page(advert_offset(plan, lane) + (size_t)plan->local_size * sizeof(struct advert_table));
}

/* Bytes before a lane's rings. */
static size_t front_size(const struct arena_plan *plan, int lane)
{
    return staging_offset(plan, lane) + (lane ? 0 : STAGING_MOST);
}

static uint64_t lane_size(const struct arena_plan *plan, int lane)
{
    return front_size(plan, lane) + (uint64_t)arena_slots(plan, lane) * plan->ring_size;
}

/* Offset of a lane in its arena; of NET_LANES, the end of all lanes. */
static uint64_t lane_offset(const struct arena_plan *plan, int lane)
{
    return lane ? lane_size(plan, 0) + (uint64_t)(lane - 1) * lane_size(plan, lane) : 0;
}

static void *map_part(int fd, uint64_t offset, size_t bytes)
{
    void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)offset);

    if (at == MAP_FAILED) {
        fail(MPI_ERR_NO_MEM, "cannot map %zu bytes of shared memory: %s", bytes, strerror(errno));
        return NULL;
    }
    return at;
}

static uint64_t arena_place_of(const struct arena_plan *plan, int lane, int local_rank)
{
    return (uint64_t)local_rank * plan->stride + lane_offset(plan, lane);
}

static struct arena arena_lay_out(const struct arena_plan *plan, int lane, unsigned char *front)
{
    struct arena arena = {.head = lane ? NULL : (struct arena_head *)(void *)front};

    arena.control = (struct ring_control *)(void *)(front + head_size(lane));
    arena.lane = (struct lane_head *)(void *)arena.control - 1;
    arena.adverts = (struct advert_table *)(void *)(front + advert_offset(plan, lane));
    arena.staging = lane ? NULL : front + staging_offset(plan, lane);
    return arena;
}

static uint64_t ring_place(const struct arena_plan *plan, int lane, int local_rank, int slot)
{
    return arena_place_of(plan, lane, local_rank) + front_size(plan, lane) + (uint64_t)slot * plan->ring_size;
}

int arena_check_room(const struct arena_plan *plan)
{
    uint64_t needed = lane_size(plan, 0) + HEAP_PAGE;

    if (lane_size(plan, 0) <= plan->stride)
        return MPI_SUCCESS;
    return fail(MPI_ERR_NO_MEM,
                "the limit on the size of files leaves %llu KiB of shared memory for each of %d processes, "
                "which need %llu: "
                "run `ulimit -f unlimited` first, or make rings smaller (INKLING_RING_SIZE)",
                (unsigned long long)plan->stride / 1024, plan->local_size, (unsigned long long)needed / 1024);
}

int arena_open(const struct arena_plan *plan, int first, int count, int local_rank, struct arena *arena)
{
    int last = first + count - 1;
    uint64_t place = arena_place_of(plan, first, local_rank);
    size_t bytes = (size_t)(ring_place(plan, last, local_rank, plan->local_size) - place);
    unsigned char *at = map_part(plan->fd, place, bytes);

    if (!at)
        return MPI_ERR_NO_MEM;
    for (int i = 0; i < count; i++) {
        unsigned char *front = at + (arena_place_of(plan, first + i, local_rank) - place);

        arena[i] = arena_lay_out(plan, first + i, front);
        arena[i].rings = front + front_size(plan, first + i);
    }
    arena->map[0] = at;
    arena->map_size[0] = bytes;
    return MPI_SUCCESS;
}

int arena_connect(const struct arena_plan *plan, int lane, int local_rank, int slot, struct arena *arena)
{
    size_t bytes = front_size(plan, lane);
    unsigned char *front = map_part(plan->fd, arena_place_of(plan, lane, local_rank), bytes), *ring;

    if (!front)
        return MPI_ERR_NO_MEM;
    ring = map_part(plan->fd, ring_place(plan, lane, local_rank, slot), plan->ring_size);
    if (!ring) {
        munmap(front, bytes);
        return MPI_ERR_NO_MEM;
    }
    *arena = arena_lay_out(plan, lane, front);
    arena->control += slot;
    arena->adverts = slot < plan->local_size ? arena->adverts + slot : NULL;
    arena->rings = ring;
    arena->map[0] = front;
    arena->map_size[0] = bytes;
    arena->map[1] = ring;
    arena->map_size[1] = plan->ring_size;
    return MPI_SUCCESS;
}

void *arena_map_guest(const struct arena_plan *plan, int local_rank, int slot)
{
    return map_part(plan->fd, ring_place(plan, 0, local_rank, slot), plan->ring_size);
}

void arena_clear_guest(const struct arena_plan *plan, int local_rank, const struct arena *mine, int slot,
                       void *ring)
{
    memset(&mine->control[slot], 0, sizeof mine->control[slot]);
    if (fallocate(plan->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                  (off_t)ring_place(plan, 0, local_rank, slot), (off_t)plan->ring_size) < 0)
        memset(ring, 0, plan->ring_size); /* not every file system can punch holes */
    munmap(ring, plan->ring_size);
}

/* The heap lies behind the lanes, aligned to large pages. */
static uint64_t heap_offset(const struct arena_plan *plan)
{
    return (lane_offset(plan, NET_LANES) + HEAP_PAGE - 1) & ~(HEAP_PAGE - 1);
}

uint64_t arena_heap_place(const struct arena_plan *plan, int local_rank)
{
    return (uint64_t)local_rank * plan->stride + heap_offset(plan);
}

size_t arena_heap_size(const struct arena_plan *plan)
{
    uint64_t offset = heap_offset(plan), size = memory_installed();

    if (offset >= plan->stride)
        return 0;
    size = size < plan->stride - offset ? size : plan->stride - offset;
    return size & ~(HEAP_PAGE - 1);
}

bool arena_has_lanes(const struct arena_plan *plan)
{
    return lane_offset(plan, NET_LANES) <= plan->stride;
}

void arena_show_lanes(const struct arena_plan *plan, int local_rank, struct arena_head *head)
{
    atomic_store_explicit(&head->lane_bytes, lane_size(plan, 1), memory_order_relaxed);
    atomic_store_explicit(&head->lane_place, arena_place_of(plan, 1, local_rank), memory_order_relaxed);
}

void arena_close(struct arena *arena)
{
    for (int i = 0; i < 2; i++)
        if (arena->map[i])
            munmap(arena->map[i], arena->map_size[i]);
    *arena = (struct arena){0};
}
