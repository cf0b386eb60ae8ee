/* fake: the memory of a simulated device, for the simulated drivers of this folder. Its addresses cannot be
 * accessed. The contents are in a file that other processes can map when they have opened an IPC handle of a
 * block.
 *
 * A block that is freed loses its contents, and its addresses are reused, as by real drivers. So a process
 * that still reads a mapping of it reads stale data. FAKE_IPC says what the driver refuses to do with memory
 * of other processes: export it, open it, or both.
 */
#ifndef TESTS_KINDS_FAKE_H
#define TESTS_KINDS_FAKE_H

#include <fcntl.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define FAKE_ROOM ((size_t)1 << 30)

enum {
    FAKE_PAGE = 4096,
    FAKE_BLOCKS = 512
};

/* Each driver has numbers of its own for them. */
enum fake_type {
    FAKE_DEVICE,
    FAKE_LOCKED, /* the host's */
    FAKE_MANAGED /* both have it */
};

/* A block that the program allocated, or opened from another process. */
struct fake_block {
    enum fake_type type;
    unsigned char *closed; /* NULL: none; memory that the host reaches is its own contents */
    unsigned char *contents;
    size_t bytes;    /* whole pages */
    size_t at;       /* in the file of its owner */
    uint64_t id;     /* 0: it is another process's */
    uint64_t origin; /* of another process's block: the owner's process and the place in its file */
};

/* What is sent: 64 bytes. */
struct fake_handle {
    uint64_t pid, fd, at, bytes;
    char rest[32];
};

static struct fake_block fake_block[FAKE_BLOCKS]; /* guarded by fake_lock */
static uint64_t fake_ids;
static size_t fake_used; /* of the file */
static int fake_file = -1;
static void *fake_freed; /* addresses that were freed last, and come next */
static pthread_mutex_t fake_lock = PTHREAD_MUTEX_INITIALIZER;

static void fake_start(void)
{
    fake_file = (int)syscall(SYS_memfd_create, "fake-device", 1 /* closed on exec */);
    if (fake_file < 0 || ftruncate(fake_file, FAKE_ROOM) < 0)
        abort();
}

static int fake_refuses(const char *what)
{
    const char *refused = getenv("FAKE_IPC");

    return refused && strstr(refused, what) != NULL;
}

/* The caller holds the lock. */
static struct fake_block *fake_find(const void *at)
{
    for (struct fake_block *b = fake_block; b < fake_block + FAKE_BLOCKS; b++)
        if (b->closed && (uintptr_t)at - (uintptr_t)b->closed < b->bytes)
            return b;
    return NULL;
}

/* A copy, so that it can be looked at without the lock; its closed is NULL if there is none. */
static struct fake_block fake_look(const void *at)
{
    struct fake_block found = {0}, *b;

    pthread_mutex_lock(&fake_lock);
    b = fake_find(at);
    if (b)
        found = *b;
    pthread_mutex_unlock(&fake_lock);
    return found;
}

static int fake_holds(const void *at)
{
    struct fake_block b = fake_look(at);

    return b.closed && b.type == FAKE_DEVICE;
}

static void *fake_place(const void *at)
{
    struct fake_block b = fake_look(at);

    return b.closed ? b.contents + ((const unsigned char *)at - b.closed) : (void *)(uintptr_t)at;
}

static void fake_copy(void *to, const void *from, size_t bytes)
{
    memmove(fake_place(to), fake_place(from), bytes);
}

/* Maps contents, and addresses for them, which the kernel takes where they were freed if it can. The caller
 * holds the lock. */
static void *fake_add(size_t bytes, int file, size_t at, const struct fake_block *made)
{
    struct fake_block *b = fake_block;

    while (b < fake_block + FAKE_BLOCKS && b->closed)
        b++;
    if (b == fake_block + FAKE_BLOCKS)
        return NULL;
    *b = *made;
    b->bytes = bytes;
    b->at = at;
    b->contents = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, (off_t)at);
    b->closed = mmap(fake_freed, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (b->contents == MAP_FAILED || b->closed == MAP_FAILED)
        abort();
    return b->closed;
}

static void fake_remove(struct fake_block *b)
{
    memset(b->contents, 0xfa, b->bytes); /* so that a process that still maps it notices */
    munmap(b->contents, b->bytes);
    munmap(b->closed, b->bytes);
    fake_freed = b->closed;
    b->closed = NULL;
}

static void *fake_alloc(size_t bytes)
{
    void *at = NULL;

    bytes = (bytes + FAKE_PAGE) / FAKE_PAGE * FAKE_PAGE;
    pthread_mutex_lock(&fake_lock);
    if (bytes <= FAKE_ROOM - fake_used) {
        at = fake_add(bytes, fake_file, fake_used, &(struct fake_block){.id = ++fake_ids});
        fake_used += bytes;
    }
    pthread_mutex_unlock(&fake_lock);
    return at;
}

/* Memory that the host reaches. */
static void *fake_give(size_t bytes, enum fake_type type)
{
    struct fake_block *b = fake_block;
    unsigned char *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    pthread_mutex_lock(&fake_lock);
    while (b < fake_block + FAKE_BLOCKS && b->closed)
        b++;
    if (b == fake_block + FAKE_BLOCKS || at == MAP_FAILED)
        abort();
    *b = (struct fake_block){.type = type, .closed = at, .contents = at, .bytes = bytes, .id = ++fake_ids};
    pthread_mutex_unlock(&fake_lock);
    return at;
}

/* False: it was not allocated. */
static int fake_free(void *at)
{
    struct fake_block *b;
    int is_there;

    pthread_mutex_lock(&fake_lock);
    b = fake_find(at);
    is_there = b && b->closed == at && b->id;
    if (is_there)
        fake_remove(b);
    pthread_mutex_unlock(&fake_lock);
    return is_there;
}

static int fake_lend(const void *at, struct fake_handle *handle)
{
    struct fake_block b = fake_look(at);

    if (b.closed != at || !b.id || b.type != FAKE_DEVICE || fake_refuses("lend"))
        return 0;
    *handle = (struct fake_handle){(uint64_t)getpid(), (uint64_t)fake_file, b.at, b.bytes, {0}};
    return 1;
}

static int fake_is_borrowed(uint64_t origin)
{
    for (int i = 0; i < FAKE_BLOCKS; i++)
        if (fake_block[i].closed && !fake_block[i].id && fake_block[i].origin == origin)
            return 1;
    return 0;
}

/* Opening a handle twice is refused, as by the real drivers. */
static void *fake_borrow(const struct fake_handle *handle)
{
    struct fake_block block = {.origin = handle->pid << 32 | handle->at / FAKE_PAGE};
    void *at = NULL;
    char path[64];
    int file;

    if (fake_refuses("borrow") || handle->pid == (uint64_t)getpid())
        return NULL;
    snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)handle->pid, (int)handle->fd);
    file = open(path, O_RDWR | O_CLOEXEC);
    if (file < 0)
        return NULL;
    pthread_mutex_lock(&fake_lock);
    if (!fake_is_borrowed(block.origin))
        at = fake_add(handle->bytes, file, handle->at, &block);
    pthread_mutex_unlock(&fake_lock);
    close(file);
    return at;
}

static int fake_give_back(const void *at)
{
    struct fake_block *b;
    int is_there;

    pthread_mutex_lock(&fake_lock);
    b = fake_find(at);
    is_there = b && b->closed == at && !b->id;
    if (is_there) {
        munmap(b->contents, b->bytes);
        munmap(b->closed, b->bytes);
        b->closed = NULL;
    }
    pthread_mutex_unlock(&fake_lock);
    return is_there;
}

#endif
