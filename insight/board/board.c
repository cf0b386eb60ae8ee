#include "insight/board/board.h"

#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
    BOARD_PATIENCE = 1 << 22, /* tries */
    BOARD_SMALLEST = 6        /* a cache line */
};

#define BOARD_FILE  "inkling_check"
#define BOARD_MAGIC UINT64_C(0x64616f62796b6e69)

static const size_t board_size = (size_t)256 << 20;

struct board *board;

static struct board *board_map(int fd)
{
    void *start = mmap(NULL, board_size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);

    return start == MAP_FAILED ? NULL : start;
}

int board_make(struct board **made)
{
    int fd = memfd_create(BOARD_FILE, MFD_CLOEXEC);
    struct board *b = NULL;

    if (fd < 0 || ftruncate(fd, (off_t)board_size) || !(b = board_map(fd))) {
        if (fd >= 0)
            close(fd);
        return -1;
    }
    b->magic = BOARD_MAGIC;
    b->bytes = sizeof *b;
    if (getrandom(&b->nonce, sizeof b->nonce, GRND_NONBLOCK) < 0)
        b->nonce = (uint64_t)time(NULL) << 32 ^ (uint64_t)getpid();
    atomic_store_explicit(&b->used, (sizeof(struct board) + 63) / 64 * 64, memory_order_release);
    *made = b;
    return fd;
}

const char *board_end_text(enum board_end end)
{
    static const char *const texts[] = {
        [END_NOT] = NULL,
        [END_DEADLOCK] = "--check ends the job: its ranks wait for each other",
        [END_ERROR] = "an error ends the job, as its handler is MPI_ERRORS_ARE_FATAL",
    };

    return texts[end];
}

void board_name(const struct board *b, int fd, char name[BOARD_NAME])
{
    snprintf(name, BOARD_NAME, "/proc/%d/fd/%d %llx", (int)getpid(), fd, (unsigned long long)b->nonce);
}

/* To open what is no memfd might wait, or mean something to it. */
static int open_memfd(const char *path)
{
    static const char wanted[] = "/memfd:" BOARD_FILE;
    char target[sizeof wanted];
    ssize_t length = readlink(path, target, sizeof target);
    struct stat info;
    int fd;

    if (length < (ssize_t)sizeof wanted - 1 || memcmp(target, wanted, sizeof wanted - 1) != 0)
        return -1;
    fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd >= 0 && (fstat(fd, &info) || !S_ISREG(info.st_mode) || info.st_size != (off_t)board_size)) {
        close(fd);
        return -1;
    }
    return fd;
}

struct board *board_open(const char *name)
{
    char path[BOARD_NAME];
    unsigned long long nonce;
    struct board *b = NULL;
    uint64_t head[3];
    int fd;

    if (sscanf(name, "%63s %llx", path, &nonce) != 2)
        return NULL;
    fd = open_memfd(path);
    if (fd >= 0 && pread(fd, head, sizeof head, 0) == sizeof head && head[0] == BOARD_MAGIC &&
        head[1] == nonce && head[2] == sizeof *b)
        b = board_map(fd);
    if (fd >= 0)
        close(fd);
    return b;
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

bool board_goes_on(uint64_t number, uint64_t turn)
{
    struct board_step *step = &board->step[number % BOARD_STEPS];
    bool goes_on = step->number == number && step->turn + 1 == turn;

    *step = (struct board_step){number, turn};
    return goes_on;
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
