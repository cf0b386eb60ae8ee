#include "net/shm/arena.h"

#include "base/fail.h"
#include "memory/heap.h"
#include "memory/room.h"

#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

static size_t round_to_page(size_t bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);

    return (bytes + page - 1) & ~(page - 1);
}

static size_t board_offset(const struct house *house)
{
    return sizeof(struct arena_head) + (size_t)house_seats(house) * sizeof(struct ring_control);
}

static size_t staging_offset(const struct house *house)
{
    return round_to_page(board_offset(house) + (size_t)house->local_size * sizeof(struct board));
}

/* What comes before the rings. */
static size_t front_size(const struct house *house)
{
    return staging_offset(house) + STAGING_MOST;
}

/* In the file. */
static uint64_t ring_place(const struct house *house, int local_rank, int seat)
{
    return (uint64_t)local_rank * ARENA_STRIDE + front_size(house) + (uint64_t)seat * house->ring_size;
}

static void *map_part(int fd, uint64_t place, size_t bytes)
{
    void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)place);

    if (at == MAP_FAILED) {
        fail(MPI_ERR_NO_MEM, "cannot map %zu bytes of shared memory: %s", bytes, strerror(errno));
        return NULL;
    }
    return at;
}

static int map_front(const struct house *house, int local_rank, struct arena *arena)
{
    size_t front = front_size(house);
    void *at = map_part(house->fd, (uint64_t)local_rank * ARENA_STRIDE, front);

    if (!at)
        return MPI_ERR_NO_MEM;
    *arena = (struct arena){.head = at, .map = {at}, .map_size = {front}};
    arena->control = (struct ring_control *)(void *)(arena->head + 1);
    arena->board = (struct board *)(void *)((unsigned char *)at + board_offset(house));
    arena->staging = (unsigned char *)at + staging_offset(house);
    return MPI_SUCCESS;
}

/* Maps so many rings from that of a seat on. */
static int map_rings(const struct house *house, int local_rank, int seat, int count, struct arena *arena)
{
    size_t bytes = (size_t)count * house->ring_size;
    void *at = map_part(house->fd, ring_place(house, local_rank, seat), bytes);

    if (!at) {
        arena_close(arena);
        return MPI_ERR_NO_MEM;
    }
    arena->rings = at;
    arena->map[1] = at;
    arena->map_size[1] = bytes;
    return MPI_SUCCESS;
}

/* The file is large and sparse. Where a process may not make one (ulimit -f) it would get SIGXFSZ. Every
 * process asks for the same size, so it does not matter who comes first. */
static int size_file(int fd, uint64_t size)
{
    struct rlimit found, raised;
    int refused;

    if (getrlimit(RLIMIT_FSIZE, &found) < 0)
        found.rlim_cur = found.rlim_max = RLIM_INFINITY;
    if (found.rlim_max < size) /* infinity is the largest value */
        return fail(MPI_ERR_NO_MEM,
                    "the limit on the size of files (%llu KiB) is below what shared memory needs (%llu GiB, "
                    "nearly all of it never used): run `ulimit -f unlimited` first",
                    (unsigned long long)found.rlim_max / 1024, (unsigned long long)size >> 30);
    raised = found;
    raised.rlim_cur = found.rlim_max;
    if (found.rlim_cur < size)
        setrlimit(RLIMIT_FSIZE, &raised);
    refused = ftruncate(fd, (off_t)size) < 0 ? errno : 0;
    if (found.rlim_cur < size)
        setrlimit(RLIMIT_FSIZE, &found);
    if (refused)
        return fail(MPI_ERR_NO_MEM, "cannot size the shared memory file to %llu GiB: %s",
                    (unsigned long long)size >> 30, strerror(refused));
    return MPI_SUCCESS;
}

int arena_open(const struct house *house, int local_rank, struct arena *arena)
{
    int error = map_front(house, local_rank, arena);

    return error ? error : map_rings(house, local_rank, 0, house->local_size, arena);
}

int arena_connect(const struct house *house, int local_rank, int seat, struct arena *arena)
{
    int error = map_front(house, local_rank, arena);

    if (error)
        return error;
    arena->control += seat;
    arena->board = seat < house->local_size ? arena->board + seat : NULL;
    return map_rings(house, local_rank, seat, 1, arena);
}

void *arena_map_guest(const struct house *house, int local_rank, int seat)
{
    return map_part(house->fd, ring_place(house, local_rank, seat), house->ring_size);
}

void arena_clear_guest(const struct house *house, int local_rank, const struct arena *mine, int seat, void *ring)
{
    memset(&mine->control[seat], 0, sizeof mine->control[seat]);
    if (fallocate(house->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                  (off_t)ring_place(house, local_rank, seat), (off_t)house->ring_size) < 0)
        memset(ring, 0, house->ring_size); /* not every file system has holes */
    munmap(ring, house->ring_size);
}

/* Behind the rings, in large pages. */
static uint64_t heap_offset(const struct house *house)
{
    uint64_t rings = ring_place(house, 0, house_seats(house));

    return (rings + HEAP_PAGE - 1) & ~(HEAP_PAGE - 1);
}

uint64_t arena_heap_place(const struct house *house, int local_rank)
{
    return (uint64_t)local_rank * ARENA_STRIDE + heap_offset(house);
}

size_t arena_heap_size(const struct house *house)
{
    uint64_t offset = heap_offset(house), size = room_installed();

    if (offset >= ARENA_STRIDE)
        return 0;
    size = size < ARENA_STRIDE - offset ? size : ARENA_STRIDE - offset;
    return size & ~(HEAP_PAGE - 1);
}

void arena_close(struct arena *arena)
{
    for (int i = 0; i < 2; i++)
        if (arena->map[i])
            munmap(arena->map[i], arena->map_size[i]);
    *arena = (struct arena){0};
}

struct host_board *board_open(int fd, int local_size)
{
    uint64_t place = (uint64_t)local_size * ARENA_STRIDE;

    if (size_file(fd, place + round_to_page(sizeof(struct host_board))))
        return NULL;
    return map_part(fd, place, sizeof(struct host_board));
}

size_t board_settle(_Atomic uint64_t *size, size_t wanted)
{
    uint64_t settled = 0;

    return atomic_compare_exchange_strong(size, &settled, wanted) ? wanted : settled;
}

void board_close(struct host_board *board)
{
    munmap(board, sizeof *board);
}
