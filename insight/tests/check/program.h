/* What the programs of this folder share: begin() starts MPI and finds rank and size. */
#ifndef TESTS_CHECK_PROGRAM_H
#define TESTS_CHECK_PROGRAM_H

#include <mpi.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rank, size;

static inline void begin(void)
{
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
}

/* An info object with one pair. */
static inline MPI_Info info_with(const char *key, const char *value)
{
    MPI_Info info;

    MPI_Info_create(&info);
    MPI_Info_set(info, key, value);
    return info;
}

/* A duplicate of MPI_COMM_WORLD with one hint. */
static inline MPI_Comm hinted(const char *key, const char *value)
{
    MPI_Info info = info_with(key, value);
    MPI_Comm comm;

    MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &comm);
    MPI_Info_free(&info);
    return comm;
}

/* An intercommunicator between the first ranks and the others. */
static inline MPI_Comm between(int first)
{
    MPI_Comm half, inter;

    MPI_Comm_split(MPI_COMM_WORLD, rank >= first, rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank < first ? first : 0, 7, &inter);
    MPI_Comm_free(&half);
    return inter;
}

#endif
