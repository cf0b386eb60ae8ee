#include "net/shm/host_page.h"

#include "memory/heap.h"
#include "net/shm/arena.h"
#include "net/shm/consensus.h"
#include "net/shm/tell.h"
#include "plain/fail.h"
#include "plain/memfd.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <mpi.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static size_t in_pages(size_t bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);

    return (bytes + page - 1) & ~(page - 1);
}

size_t host_page_more(int local_size)
{
    return in_pages(consensus_bytes(local_size));
}

/* Behind the last arena. */
static uint64_t tail_size(int local_size)
{
    return in_pages(sizeof(struct host_page)) + host_page_more(local_size) +
           (uint64_t)local_size * tell_size();
}

uint64_t host_page_tell_place(int local_size, uint64_t stride, int local_rank)
{
    return (uint64_t)local_size * stride + tail_size(local_size) -
           (uint64_t)(local_size - local_rank) * tell_size();
}

static void *map_shared(int fd, uint64_t offset, size_t bytes)
{
    void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)offset);

    if (at == MAP_FAILED) {
        fail(MPI_ERR_NO_MEM, "cannot map %zu bytes of shared memory: %s", bytes, strerror(errno));
        return NULL;
    }
    return at;
}

/* What a process's part may be under a limit on the size of files, in whole HEAP_PAGEs. */
static uint64_t stride_under(rlim_t limit, int local_size)
{
    uint64_t page = tail_size(local_size);
    uint64_t most =
        limit > page ? (limit - page) / (uint64_t)local_size : 0; /* infinity is the largest value */

    return most < ARENA_STRIDE ? most & ~(uint64_t)(HEAP_PAGE - 1) : ARENA_STRIDE;
}

/* The file is large and sparse. Where the soft limit on file sizes (ulimit -f) is lower a process would get SIGXFSZ, so it is
 * lifted meanwhile. The hard limit decides the size. The first process to size the file seals it; its size tells all what
 * a process's part is. */
static int size_file(int fd, int local_size, uint64_t *stride)
{
    uint64_t page = tail_size(local_size);
    struct rlimit found, raised;
    struct stat file;
    int refused;

    if (getrlimit(RLIMIT_FSIZE, &found) < 0)
        found.rlim_cur = found.rlim_max = RLIM_INFINITY;
    raised = found;
    raised.rlim_cur = found.rlim_max;
    *stride = stride_under(found.rlim_max, local_size);
    setrlimit(RLIMIT_FSIZE, &raised);
    refused = *stride == 0                                                        ? EFBIG
              : ftruncate(fd, (off_t)(*stride * (uint64_t)local_size + page)) < 0 ? errno
                                                                                  : 0;
    setrlimit(RLIMIT_FSIZE, &found);
    if (fstat(fd, &file) < 0 || (uint64_t)file.st_size < page)
        return fail(MPI_ERR_NO_MEM, "cannot size the shared memory file to %llu KiB: %s%s",
                    (unsigned long long)(*stride * (uint64_t)local_size + page) / 1024, strerror(refused),
                    refused == EFBIG ? "; run `ulimit -f unlimited` first" : "");
    memfd_seal(fd);
    *stride = ((uint64_t)file.st_size - page) / (uint64_t)local_size;
    return MPI_SUCCESS;
}

struct host_page *host_page_open(int fd, int local_size, uint64_t *stride)
{
    if (size_file(fd, local_size, stride))
        return NULL;
    return map_shared(fd, (uint64_t)local_size * *stride, sizeof(struct host_page));
}

void host_page_close(struct host_page *page)
{
    munmap(page, sizeof *page);
}

void *host_page_open_more(int fd, int local_size, uint64_t stride)
{
    return map_shared(fd, (uint64_t)local_size * stride + in_pages(sizeof(struct host_page)),
                      host_page_more(local_size));
}

size_t host_page_settle(_Atomic uint64_t *size, size_t wanted)
{
    uint64_t settled = 0;

    /* relaxed: the size is all that is told */
    return atomic_compare_exchange_strong_explicit(size, &settled, wanted, memory_order_relaxed,
                                                   memory_order_relaxed)
               ? wanted
               : settled;
}

void host_page_end(struct host_page *page, int local_rank)
{
    atomic_fetch_or_explicit(&page->over[local_rank / 64], (uint64_t)1 << local_rank % 64,
                             memory_order_release);
}

bool host_page_is_over(const struct host_page *page, int local_rank)
{
    return atomic_load_explicit(&page->over[local_rank / 64], memory_order_acquire) >> local_rank % 64 & 1;
}

void host_page_tell_death(struct host_page *page, int local_rank)
{
    uint64_t bit = (uint64_t)1 << local_rank % 64;

    if (!(atomic_fetch_or_explicit(&page->dead[local_rank / 64], bit, memory_order_release) & bit))
        atomic_fetch_add_explicit(&page->deaths, 1, memory_order_release);
}

/* The count comes after the death is told: a process that misses that has not counted yet, so it does not sleep (bell.c). */
void host_page_wake(int fd, uint64_t stride, int local_rank)
{
    size_t bytes = in_pages(sizeof(struct arena_head));
    struct arena_head *head = map_shared(fd, (uint64_t)local_rank * stride, bytes);

    if (!head)
        return; /* it looks when it wakes next */
    atomic_fetch_add_explicit(&head->bell, 1, memory_order_seq_cst);
    syscall(SYS_futex, &head->bell, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
    munmap(head, bytes);
}
