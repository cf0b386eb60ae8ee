/* ranks: 1 2 4 */
/* R40: where the memory of a window lies. mpi_minimum_memory_alignment, and 64 bytes without it, hold for each
 * rank of MPI_Win_allocate, also under same_size and same_disp_unit, where the segments have one distance; for the
 * first one of MPI_Win_allocate_shared, whose segments follow each other without a gap; and for each of them under
 * alloc_shared_noncontig, on pages of their own. Ranks with no memory do not count. Each rank may ask for an alignment
 * of its own: no rank's memory is in the way of another's. */
#include "note.h"
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

/* Each rank asks for the same size, or for one of its own; some ranks may ask for nothing. */
enum sizes {
    ALIKE,
    PAGES,
    OWN,
    SOME_EMPTY
};

static MPI_Aint bytes_of(int rank, enum sizes sizes)
{
    if (sizes == ALIKE || sizes == PAGES)
        return sizes == ALIKE ? 100 : 4096;
    return sizes == SOME_EMPTY && rank % 2 == 0 ? 0 : 100 + 13 * rank;
}

/* The memory is there, is this rank's alone, and the others see it where it is. */
static void use(MPI_Win win, char *base, enum sizes sizes)
{
    MPI_Aint mine = bytes_of(rank_in(MPI_COMM_WORLD), sizes);

    memset(base, 1 + rank_in(MPI_COMM_WORLD), (size_t)mine);
    CHECK_EQ(MPI_Win_fence(0, win), MPI_SUCCESS);
    for (int r = 0; r < size_of(MPI_COMM_WORLD); r++) {
        const char *there = at(win, r, bytes_of(r, sizes));

        for (MPI_Aint i = 0; i < bytes_of(r, sizes); i++)
            CHECK_EQ(there[i], 1 + r);
    }
    CHECK_EQ(MPI_Win_fence(MPI_MODE_NOSUCCEED, win), MPI_SUCCESS);
}

/* `alignment`: what this rank asks for. */
static void allocated(enum sizes sizes, const char *alignment, int same)
{
    MPI_Aint bytes = bytes_of(0, sizes);
    MPI_Info info = layout_info(alignment, same, 0);
    char *base = NULL;
    MPI_Win win;

    CHECK_EQ(MPI_Win_allocate(bytes, 1, info, MPI_COMM_WORLD, &base, &win), MPI_SUCCESS);
    CHECK(is_aligned(base, alignment));
    use(win, base, sizes);
    if (same) /* one block: all segments are as far from each other as the first two */
        for (int i = 2; i < size_of(MPI_COMM_WORLD); i++)
            CHECK_EQ(at(win, i, bytes) - at(win, i - 1, bytes), at(win, 1, bytes) - at(win, 0, bytes));
    win_done(win);
    CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);
}

static void expect_contiguous(MPI_Win win, enum sizes sizes, const char *alignment)
{
    char *next = NULL;

    for (int i = 0; i < size_of(MPI_COMM_WORLD); i++) {
        MPI_Aint bytes = bytes_of(i, sizes);

        if (!bytes)
            continue;
        if (next)
            CHECK(at(win, i, bytes) == next);
        else if (rank_in(MPI_COMM_WORLD) == i) /* another process may map it elsewhere */
            CHECK(is_aligned(at(win, i, bytes), alignment));
        next = at(win, i, bytes) + bytes;
    }
}

static void shared(enum sizes sizes, const char *alignment, int noncontig)
{
    MPI_Info info = layout_info(alignment, sizes == ALIKE, noncontig);
    MPI_Aint bytes = bytes_of(rank_in(MPI_COMM_WORLD), sizes);
    char *base = NULL;
    MPI_Win win;

    CHECK_EQ(MPI_Win_allocate_shared(bytes, 1, info, MPI_COMM_WORLD, &base, &win), MPI_SUCCESS);
    use(win, base, sizes);
    if (noncontig && bytes) {
        CHECK(is_aligned(base, alignment));
        CHECK_EQ((long)base % sysconf(_SC_PAGESIZE), 0);
    }
    if (!noncontig)
        expect_contiguous(win, sizes, alignment);
    win_done(win);
    CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);
}

/* More than shared memory can have: the message says so. */
static void too_much(void)
{
    MPI_Info info = layout_info("4194304", 0, 0);
    char *base;
    MPI_Win win;
    int error;

    CHECK_EQ(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN), MPI_SUCCESS);
    error = MPI_Win_allocate_shared(100, 1, info, MPI_COMM_WORLD, &base, &win);
    CHECK_EQ(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);
    if (size_of(MPI_COMM_WORLD) == 1) {
        CHECK_EQ(error, MPI_SUCCESS);
        CHECK(is_aligned(base, "4194304"));
        win_done(win);
        return;
    }
    CHECK_EQ(error, MPI_ERR_RMA_SHARED);
    expect_note(error, ALIGNMENT " 4194304", "2097152");
}

static void every_layout(const char *alignment)
{
    for (int same = 0; same < 2; same++) {
        allocated(ALIKE, alignment, same);
        allocated(PAGES, alignment, same);
    }
    for (int noncontig = 0; noncontig < 2; noncontig++)
        for (enum sizes sizes = ALIKE; sizes <= SOME_EMPTY; sizes++)
            shared(sizes, alignment, noncontig);
}

int main(int argc, char **argv)
{
    static const char *const alignments[] = {NULL, "8", "256", "4096", "65536"};
    enum {
        ALIGNMENTS = sizeof alignments / sizeof *alignments
    };

    CHECK_EQ(MPI_Init(&argc, &argv), MPI_SUCCESS);
    for (int i = 0; i < ALIGNMENTS; i++)
        every_layout(alignments[i]);
    for (int asker = 0; asker < size_of(MPI_COMM_WORLD); asker++)
        every_layout(asker == rank_in(MPI_COMM_WORLD) ? "4096" : NULL);
    every_layout(alignments[rank_in(MPI_COMM_WORLD) % ALIGNMENTS]);
    every_layout(alignments[ALIGNMENTS - 1 - rank_in(MPI_COMM_WORLD) % ALIGNMENTS]);
    too_much();
    CHECK_EQ(MPI_Finalize(), MPI_SUCCESS);
    return 0;
}
