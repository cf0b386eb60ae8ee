/* ranks: 3  timeout: 60  not: address  not: thread */
/* One rank cannot map the memory of another, which the rest map: accumulates are atomic all the same, of all kinds of
 * origins, also of the rank whose memory it is. */
#include "win.h"

#include <stdbool.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    BYTES = 32 << 20, /* more than was mapped before */
    TIMES = 60000,
    OWNER = 1,
    UNMAPPED = 2
};

static bool refuses;
static int refused;

/* Of the library, too: no file is mapped while `refuses`. */
__attribute__((visibility("default"))) void *mmap(void *at, size_t bytes, int protection, int flags, int fd,
                                                  off_t offset)
{
    if (refuses && fd >= 0) {
        refused++;
        return MAP_FAILED;
    }
    return (void *)syscall(SYS_mmap, at, bytes, protection, flags, fd, offset);
}

static void count(MPI_Win win)
{
    static int32_t seen[TIMES];
    const int32_t one = 1;

    OK(MPI_Win_lock_all(0, win));
    for (int i = 0; i < TIMES; i++) {
        OK(MPI_Fetch_and_op(&one, &seen[i], MPI_INT32_T, OWNER, 0, MPI_SUM, win));
        OK(MPI_Accumulate(&one, 1, MPI_INT32_T, OWNER, 1, 1, MPI_INT32_T, MPI_SUM, win));
    }
    OK(MPI_Win_unlock_all(win));
    OK(MPI_Barrier(MPI_COMM_WORLD));
}

int main(int argc, char **argv)
{
    int32_t *base = NULL;
    MPI_Win win;

    set_up(&argc, &argv);
    OK(MPI_Win_allocate(64, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
    OK(MPI_Win_free(&win));
    refuses = rank == UNMAPPED;
    OK(MPI_Win_allocate(rank == OWNER ? BYTES : 8, sizeof *base, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
    refuses = false;
    base[0] = base[1] = 0;
    OK(MPI_Barrier(MPI_COMM_WORLD));
    count(win);
    if (rank == UNMAPPED)
        CHECK(refused > 0);
    if (rank == OWNER) {
        CHECK_EQ(base[0], TIMES * size);
        CHECK_EQ(base[1], TIMES * size);
    }
    OK(MPI_Win_free(&win));
    MPI_Finalize();
    return 0;
}
