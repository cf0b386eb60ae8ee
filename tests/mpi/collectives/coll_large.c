/* ranks: 2  timeout: 120 not: thread */
/* Collectives on more than 2^31 bytes and, in the _c forms, more than 2^31 items. ThreadSanitizer takes four
 * times the memory. */
#include "check.h"
#include "large.h"

#include <unistd.h>

static const MPI_Count total = ((MPI_Count)1 << 31) + 4099;

/* Looks at some bytes of every page, so that the test takes seconds. */
static void set_bytes(unsigned char *bytes, int seed)
{
    for (MPI_Count i = 0; i < total; i += 2048)
        bytes[i] = (unsigned char)(i / 2048 * 31 + seed);
    bytes[total - 1] = (unsigned char)seed;
}

static void check_bytes(const unsigned char *bytes, int seed)
{
    for (MPI_Count i = 0; i < total - 1; i += 2048)
        CHECK_EQ(bytes[i], (unsigned char)(i / 2048 * 31 + seed));
    CHECK_EQ(bytes[total - 1], seed);
}

/* Whether every rank finds memory for its buffer and that of another. */
static int is_enough_memory(void)
{
    double free_bytes = (double)sysconf(_SC_AVPHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    int mine = free_bytes > 2.5 * (double)total, all;

    MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    return all;
}

int main(int argc, char **argv)
{
    unsigned char *bytes;
    MPI_Datatype block;
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (!is_enough_memory()) {
        fprintf(stderr, "skipped: less than 5 GiB of memory is free\n");
        MPI_Finalize();
        return 77;
    }
    bytes = large_memory((size_t)total);
    if (rank == 0)
        set_bytes(bytes, 5);
    CHECK_EQ(MPI_Bcast_c(bytes, total, MPI_BYTE, 0, MPI_COMM_WORLD), MPI_SUCCESS);
    check_bytes(bytes, 5);
    if (rank == 1)
        set_bytes(bytes, 9);
    MPI_Type_contiguous_c(total, MPI_BYTE, &block);
    MPI_Type_commit(&block);
    CHECK_EQ(MPI_Bcast(bytes, 1, block, 1, MPI_COMM_WORLD), MPI_SUCCESS);
    check_bytes(bytes, 9);
    MPI_Type_free(&block);
    munmap(bytes, (size_t)total);
    MPI_Finalize();
    return 0;
}
