#include "insight/board.h"

#include <fcntl.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum {
    BOARD_PATIENCE = 1 << 22, /* tries */
    BOARD_SMALLEST = 6        /* a cache line */
};

static const size_t board_size = (size_t)256 << 20;

struct board *board;

static struct board *board_map(int fd)
{
    void *start = mmap(NULL, board_size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);

    return start == MAP_FAILED ? NULL : start;
}

int board_make(struct board **made)
{
    int fd = memfd_create("inkling_check", MFD_CLOEXEC);

    if (fd < 0 || ftruncate(fd, (off_t)board_size) || !(*made = board_map(fd))) {
        if (fd >= 0)
            close(fd);
        return -1;
    }
    atomic_store_explicit(&(*made)->used, (sizeof(struct board) + 63) / 64 * 64, memory_order_release);
    return fd;
}

int board_open(const char *path)
{
    int fd = open(path, O_RDWR | O_CLOEXEC);

    if (fd < 0)
        return -1;
    board = board_map(fd);
    close(fd);
    return board ? 0 : -1;
}

/* Acquire here and release in board_unlock order all that the lock protects. */
void board_lock(void)
{
    for (int i = 0; i < BOARD_PATIENCE; i++) {
        if (!atomic_exchange_explicit(&board->lock, 1, memory_order_acquire))
            return;
        if (i % 64 == 63)
            sched_yield();
    }
}

void board_unlock(void)
{
    atomic_store_explicit(&board->lock, 0, memory_order_release);
}

static int size_class(size_t size)
{
    int class = BOARD_SMALLEST;

    while (((size_t)1 << class) < size)
        class ++;
    return class;
}

void *board_at(uint64_t offset)
{
    return (char *)board + offset;
}

uint64_t board_allocate(size_t size)
{
    int class = size_class(size);
    uint64_t offset = board->free[class];

    if (offset) {
        memcpy(&board->free[class], board_at(offset), sizeof board->free[class]);
        memset(board_at(offset), 0, (size_t)1 << class);
        return offset;
    }
    offset = atomic_load_explicit(&board->used, memory_order_relaxed);
    if (offset + ((size_t)1 << class) > board_size)
        return 0;
    atomic_store_explicit(&board->used, offset + ((size_t)1 << class), memory_order_relaxed);
    return offset;
}

void board_free(uint64_t offset, size_t size)
{
    int class = size_class(size);

    memcpy(board_at(offset), &board->free[class], sizeof board->free[class]);
    board->free[class] = offset;
}
