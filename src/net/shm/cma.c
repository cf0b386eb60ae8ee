#include "net/shm/cma.h"

#include "net/net.h"
#include "plain/clock.h"
#include "plain/fail.h"

#include <errno.h>
#include <mpi.h>
#include <string.h>
#include <sys/random.h>
#include <sys/uio.h>
#include <unistd.h>

static uint64_t probe; /* set once by cma_open; peers read it */

void cma_open(struct arena_head *head)
{
    if (getrandom(&probe, sizeof probe, GRND_NONBLOCK) != sizeof probe)
        probe = clock_ns() * 0x9e3779b97f4a7c15u ^ (uint64_t)getpid();
    probe |= 1; /* never the 0 of an arena whose owner has not started */
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
    struct iovec to = {&seen, sizeof seen}, from = {(void *)(uintptr_t)address, sizeof seen};

    return pid && cma_copy(pid, false, &to, 1, &from, 1) == MPI_SUCCESS &&
           seen == atomic_load_explicit(&head->probe, memory_order_relaxed);
}

static size_t cma_bytes_of(const struct iovec *piece, int pieces)
{
    size_t bytes = 0;

    for (int i = 0; i < pieces; i++)
        bytes += piece[i].iov_len;
    return bytes;
}

/* Removes the first `moved` bytes from the pieces; returns the first piece that is left. */
static struct iovec *skip(struct iovec *piece, size_t moved)
{
    while (moved && moved >= piece->iov_len)
        moved -= piece++->iov_len;
    piece->iov_base = (char *)piece->iov_base + moved;
    piece->iov_len -= moved;
    return piece;
}

/* The kernel may stop early: after 2 GiB, say. */
int cma_copy(int32_t pid, bool is_put, struct iovec *here, int pieces, struct iovec *there, int pieces_there)
{
    struct iovec *end = here + pieces, *end_there = there + pieces_there;

    for (size_t bytes = cma_bytes_of(here, pieces); bytes;) {
        unsigned long n = (unsigned long)(end - here), n_there = (unsigned long)(end_there - there);
        ssize_t moved = is_put ? process_vm_writev(pid, here, n, there, n_there, 0)
                               : process_vm_readv(pid, here, n, there, n_there, 0);

        if (moved < 0 && errno == ESRCH)
            return fail(net_loss_class(), "process %d has ended; its memory cannot be %s any more", pid,
                        is_put ? "written" : "read");
        if (moved <= 0)
            return fail(MPI_ERR_OTHER, "cannot %s %zu bytes of process %d: %s", is_put ? "write" : "read",
                        bytes, pid, strerror(errno));
        bytes -= (size_t)moved;
        if (!bytes)
            break;
        here = skip(here, (size_t)moved);
        there = skip(there, (size_t)moved);
    }
    return MPI_SUCCESS;
}
