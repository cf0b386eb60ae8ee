/* spawn: what the programs of these tests share. */
#ifndef TESTS_SPAWN_H
#define TESTS_SPAWN_H

#include "check.h"

static int world_rank, world_size;

static inline void start(int *argc, char ***argv, int level, int *provided)
{
    CHECK_EQ(MPI_Init_thread(argc, argv, level, provided), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_rank(MPI_COMM_WORLD, &world_rank), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_size(MPI_COMM_WORLD, &world_size), MPI_SUCCESS);
}

static inline MPI_Info info_of(const char *key, const char *value)
{
    MPI_Info info;

    CHECK_EQ(MPI_Info_create(&info), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_set(info, key, value), MPI_SUCCESS);
    return info;
}

#endif
