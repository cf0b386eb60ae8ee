/* large: gigabytes for a test. */
#ifndef TESTS_MPI_LARGE_H
#define TESTS_MPI_LARGE_H

#include "check.h"

#include <sys/mman.h>
#include <unistd.h>

enum {
    PIECE = 2 << 20,
    PIECES = 1024, /* which are 2^31 bytes */
    END = 4099,    /* bytes behind them, which are looked at */
    GAP = 65536
};

#define HUGE_BYTES ((MPI_Count)PIECES * PIECE + END)

/* Zeroed, and of large pages where the system has them: small ones take most of the test's time. For munmap. */
static inline void *large_memory(size_t bytes)
{
    void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    CHECK(at != MAP_FAILED);
    madvise(at, bytes, MADV_HUGEPAGE);
    return at;
}

/* HUGE_BYTES bytes, and a gap in front of each piece if `has_gaps`, of which only the last piece is memory of their own: the others are one,
 * again and again. So they take no memory, and no time to fill. For munmap of huge_span bytes. */
static inline size_t huge_span(int has_gaps)
{
    return (size_t)(PIECES + 1) * PIECE + (has_gaps ? (size_t)(PIECES / (PIECE / GAP) + 1) * PIECE : 0);
}

static inline unsigned char *huge_memory(int has_gaps)
{
    size_t span = huge_span(has_gaps);
    int fd = memfd_create("huge", 0);
    unsigned char *at = mmap(NULL, span, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    CHECK(fd >= 0 && at != MAP_FAILED);
    CHECK_EQ(ftruncate(fd, 2 * PIECE), 0);
    for (size_t done = 0; done < span; done += PIECE)
        CHECK(mmap(at + done, PIECE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd,
                   done + PIECE == span ? PIECE : 0) != MAP_FAILED);
    close(fd);
    return at;
}

/* Where HUGE_BYTES bytes begin that end with the memory: in one run, or PIECES - 1 pieces and the rest with gaps between them (huge_type). */
static inline unsigned char *huge_begin(unsigned char *at, int has_gaps)
{
    MPI_Count bytes = has_gaps ? (MPI_Count)PIECES * (PIECE + GAP) + END : HUGE_BYTES;

    return at + huge_span(has_gaps) - bytes;
}

/* HUGE_BYTES bytes with gaps. Committed. */
static inline MPI_Datatype huge_type(void)
{
    MPI_Datatype pieces, both, types[2] = {MPI_DATATYPE_NULL, MPI_BYTE};
    MPI_Count lengths[2] = {1, END}, places[2] = {0, (MPI_Count)PIECES * (PIECE + GAP)};

    CHECK_EQ(MPI_Type_create_hvector_c(PIECES, PIECE, PIECE + GAP, MPI_BYTE, &pieces), MPI_SUCCESS);
    types[0] = pieces;
    CHECK_EQ(MPI_Type_create_struct_c(2, lengths, places, types, &both), MPI_SUCCESS);
    CHECK_EQ(MPI_Type_commit(&both), MPI_SUCCESS);
    CHECK_EQ(MPI_Type_free(&pieces), MPI_SUCCESS);
    return both;
}

static inline void huge_fill(unsigned char *begin, int has_gaps, int seed)
{
    unsigned char *end = begin + (has_gaps ? (MPI_Count)PIECES * (PIECE + GAP) : (MPI_Count)PIECES * PIECE);

    for (int i = 0; i < END; i++)
        end[i] = (unsigned char)(i % 251 + seed);
}

static inline void huge_check(const unsigned char *begin, int has_gaps, int seed)
{
    const unsigned char *end =
        begin + (has_gaps ? (MPI_Count)PIECES * (PIECE + GAP) : (MPI_Count)PIECES * PIECE);

    for (int i = 0; i < END; i++)
        CHECK_EQ(end[i], (unsigned char)(i % 251 + seed));
}

#endif
