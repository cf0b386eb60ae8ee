/* ranks: 1 2 4 */
/* R40: where the memory of a window lies. mpi_minimum_memory_alignment, and 64 bytes without it, hold for each
 * rank of MPI_Win_allocate, also under same_size and same_disp_unit, where the segments have one distance; for the
 * first one of MPI_Win_allocate_shared, whose segments follow each other without a gap; and for each of them under
 * alloc_shared_noncontig, on pages of their own. Ranks with no memory do not count. */
#include "win_hints.h"

#include <unistd.h>

/* Where the rank's segment is in this process. */
static char *at(MPI_Win win, int rank, MPI_Aint bytes)
{
    MPI_Aint found = -1;
    char *base = NULL;
    int unit = -1;

    CHECK_EQ(MPI_Win_shared_query(win, rank, &found, &unit, &base), MPI_SUCCESS);
    CHECK_EQ(found, bytes);
    CHECK_EQ(unit, 1);
    return base;
}

static MPI_Info layout_info(const char *alignment, int same, int noncontig)
{
    MPI_Info info;

    CHECK_EQ(MPI_Info_create(&info), MPI_SUCCESS);
    if (alignment)
        CHECK_EQ(MPI_Info_set(info, ALIGNMENT, alignment), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_set(info, SAME_SIZE, same ? "true" : "false"), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_set(info, SAME_DISP_UNIT, same ? "true" : "false"), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_set(info, NONCONTIG, noncontig ? "true" : "false"), MPI_SUCCESS);
    return info;
}

static int is_aligned(const void *base, const char *alignment)
{
    return (unsigned long long)base % (alignment ? strtoull(alignment, NULL, 10) : 64) == 0;
}

/* The memory is there, and is this rank's alone. */
static void use(MPI_Win win, char *base, MPI_Aint bytes)
{
    char mark = (char)(1 + rank_in(MPI_COMM_WORLD));

    memset(base, mark, (size_t)bytes);
    CHECK_EQ(MPI_Win_fence(0, win), MPI_SUCCESS);
    for (MPI_Aint i = 0; i < bytes; i++)
        CHECK_EQ(base[i], mark);
    CHECK_EQ(MPI_Win_fence(MPI_MODE_NOSUCCEED, win), MPI_SUCCESS);
}

static void allocated(MPI_Aint bytes, const char *alignment, int same)
{
    MPI_Info info = layout_info(alignment, same, 0);
    char *base = NULL;
    MPI_Win win;

    CHECK_EQ(MPI_Win_allocate(bytes, 1, info, MPI_COMM_WORLD, &base, &win), MPI_SUCCESS);
    CHECK(is_aligned(base, alignment));
    use(win, base, bytes);
    if (same) /* one block: all segments are as far from each other as the first two */
        for (int i = 2; i < size_of(MPI_COMM_WORLD); i++)
            CHECK_EQ(at(win, i, bytes) - at(win, i - 1, bytes), at(win, 1, bytes) - at(win, 0, bytes));
    win_done(win);
    CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);
}

/* Each rank asks for another size; some ranks may ask for nothing. */
static MPI_Aint bytes_of(int rank, int some_are_empty)
{
    return some_are_empty && rank % 2 == 0 ? 0 : 100 + 13 * rank;
}

static void expect_contiguous(MPI_Win win, int some_are_empty, const char *alignment)
{
    char *next = NULL;

    for (int i = 0; i < size_of(MPI_COMM_WORLD); i++) {
        MPI_Aint bytes = bytes_of(i, some_are_empty);

        if (!bytes)
            continue;
        if (next)
            CHECK(at(win, i, bytes) == next);
        next = at(win, i, bytes) + bytes;
    }
    for (int i = 0; i < size_of(MPI_COMM_WORLD); i++)
        if (bytes_of(i, some_are_empty)) { /* the first; another process may map it elsewhere */
            CHECK(rank_in(MPI_COMM_WORLD) != i ||
                  is_aligned(at(win, i, bytes_of(i, some_are_empty)), alignment));
            return;
        }
}

static void shared(int some_are_empty, const char *alignment, int noncontig)
{
    MPI_Info info = layout_info(alignment, 0, noncontig);
    MPI_Aint bytes = bytes_of(rank_in(MPI_COMM_WORLD), some_are_empty);
    char *base = NULL;
    MPI_Win win;

    CHECK_EQ(MPI_Win_allocate_shared(bytes, 1, info, MPI_COMM_WORLD, &base, &win), MPI_SUCCESS);
    use(win, base, bytes);
    if (noncontig && bytes) {
        CHECK(is_aligned(base, alignment));
        CHECK_EQ((long)base % sysconf(_SC_PAGESIZE), 0);
    }
    if (!noncontig)
        expect_contiguous(win, some_are_empty, alignment);
    win_done(win);
    CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);
}

int main(int argc, char **argv)
{
    static const char *const alignments[] = {NULL, "8", "256", "4096", "65536"};

    CHECK_EQ(MPI_Init(&argc, &argv), MPI_SUCCESS);
    for (size_t i = 0; i < sizeof alignments / sizeof *alignments; i++) {
        for (int same = 0; same < 2; same++) {
            allocated(100, alignments[i], same);
            allocated(4096, alignments[i], same);
        }
        for (int choice = 0; choice < 4; choice++)
            shared(choice & 1, alignments[i], choice >> 1);
    }
    CHECK_EQ(MPI_Finalize(), MPI_SUCCESS);
    return 0;
}
