#include "net/shm/cma.h"

#include "base/clock.h"
#include "base/fail.h"

#include <errno.h>
#include <mpi.h>
#include <string.h>
#include <sys/random.h>
#include <sys/uio.h>
#include <unistd.h>

static uint64_t probe; /* written once by cma_open; peers read it */

void cma_open(struct arena_head *head)
{
    if (getrandom(&probe, sizeof probe, GRND_NONBLOCK) != sizeof probe)
        probe = clock_ns() * 0x9e3779b97f4a7c15u ^ (uint64_t)getpid();
    probe |= 1; /* not the 0 of an arena whose owner has not started */
    atomic_store_explicit(&head->probe_address, (uint64_t)(uintptr_t)&probe, memory_order_relaxed);
    atomic_store_explicit(&head->probe, probe, memory_order_relaxed);
    /* pairs with the acquire in cma_works */
    atomic_store_explicit(&head->pid, getpid(), memory_order_release);
}

bool cma_works(struct arena_head *head)
{
    int32_t pid = atomic_load_explicit(&head->pid, memory_order_acquire);
    uint64_t address = atomic_load_explicit(&head->probe_address, memory_order_relaxed);
    uint64_t seen = 0;
    struct iovec to = {&seen, sizeof seen};

    return pid && cma_read(pid, &to, 1, address) == MPI_SUCCESS &&
           seen == atomic_load_explicit(&head->probe, memory_order_relaxed);
}

static size_t cma_bytes_of(const struct iovec *piece, int pieces)
{
    size_t bytes = 0;

    for (int i = 0; i < pieces; i++)
        bytes += piece[i].iov_len;
    return bytes;
}

/* What is left of the pieces once `moved` bytes have been moved; returns the first that is left. */
static struct iovec *skip(struct iovec *piece, size_t moved)
{
    while (moved && moved >= piece->iov_len)
        moved -= piece++->iov_len;
    piece->iov_base = (char *)piece->iov_base + moved;
    piece->iov_len -= moved;
    return piece;
}

/* The kernel may stop early: after 2 GiB, say. */
int cma_read(int32_t pid, struct iovec *to, int pieces, uint64_t address)
{
    struct iovec *end = to + pieces;

    for (size_t bytes = cma_bytes_of(to, pieces); bytes;) {
        struct iovec there = {(void *)(uintptr_t)address, bytes};
        ssize_t moved = process_vm_readv(pid, to, (unsigned long)(end - to), &there, 1, 0);

        if (moved <= 0)
            return fail(MPI_ERR_OTHER, "cannot read %zu bytes of process %d: %s", bytes, pid,
                        strerror(errno));
        address += (uint64_t)moved;
        bytes -= (size_t)moved;
        if (bytes)
            to = skip(to, (size_t)moved);
    }
    return MPI_SUCCESS;
}

int cma_write(int32_t pid, const void *from, uint64_t address, size_t bytes)
{
    while (bytes) {
        struct iovec here = {(void *)(uintptr_t)from, bytes}, there = {(void *)(uintptr_t)address, bytes};
        ssize_t moved = process_vm_writev(pid, &here, 1, &there, 1, 0);

        if (moved <= 0)
            return fail(MPI_ERR_OTHER, "cannot write %zu bytes of process %d: %s", bytes, pid,
                        strerror(errno));
        from = (const char *)from + moved;
        address += (uint64_t)moved;
        bytes -= (size_t)moved;
    }
    return MPI_SUCCESS;
}
