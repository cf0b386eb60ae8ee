/* p2p: shared by the point-to-point tests: the rank, and bytes that tell which message they belong to. */
#ifndef TESTS_MPI_P2P_H
#define TESTS_MPI_P2P_H

#include "check.h"

#include <stdint.h>

static int rank, size;

static inline void set_up(void)
{
    CHECK_EQ(MPI_Comm_rank(MPI_COMM_WORLD, &rank), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_size(MPI_COMM_WORLD, &size), MPI_SUCCESS);
}

static inline unsigned char byte_at(unsigned message, size_t i)
{
    return (unsigned char)((i * 2654435761u + message * 40503u + (i >> 12)) >> 3);
}

static inline void fill(void *buffer, size_t bytes, unsigned message)
{
    for (size_t i = 0; i < bytes; i++)
        ((unsigned char *)buffer)[i] = byte_at(message, i);
}

/* The first byte that is not of this message; -1: none. */
static inline long long find_wrong(const void *buffer, size_t bytes, unsigned message)
{
    for (size_t i = 0; i < bytes; i++)
        if (((const unsigned char *)buffer)[i] != byte_at(message, i))
            return (long long)i;
    return -1;
}

/* Both fields, and the count in bytes. */
static inline void check_status(const char *file, int line, MPI_Status *s, int source, int tag,
                                MPI_Count bytes)
{
    MPI_Count count = -1;

    MPI_Get_count_c(s, MPI_BYTE, &count);
    check_equal(file, line, "status: source", s->MPI_SOURCE, source);
    check_equal(file, line, "status: tag", s->MPI_TAG, tag);
    check_equal(file, line, "status: count", count, bytes);
}
#define CHECK_STATUS(s, source, tag, bytes) check_status(__FILE__, __LINE__, s, source, tag, bytes)

static inline void check_is_empty(const char *file, int line, MPI_Status *s)
{
    int cancelled = 1;

    check_status(file, line, s, MPI_ANY_SOURCE, MPI_ANY_TAG, 0);
    MPI_Test_cancelled(s, &cancelled);
    check_equal(file, line, "empty status: cancelled", cancelled, 0);
}
#define CHECK_EMPTY(s) check_is_empty(__FILE__, __LINE__, s)

#endif
