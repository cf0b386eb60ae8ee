/* What the programs with --survive share: the last rank dies, and the others know of it. */
#ifndef TESTS_CHECK_SURVIVED_H
#define TESTS_CHECK_SURVIVED_H

#include "program.h"

#include <signal.h>

static inline int class_of(int error)
{
    int class;

    MPI_Error_class(error, &class);
    return class;
}

static inline void die(void)
{
    raise(SIGKILL);
}

/* Errors are returned. */
static inline void begin_returning(void)
{
    begin();
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
}

/* The last rank dies, and the others wait for a message of it until they are told. */
static inline void last_dies(void)
{
    int none;

    if (rank == size - 1)
        die();
    if (class_of(MPI_Recv(&none, 1, MPI_INT, size - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE)) !=
        MPIX_ERR_PROC_FAILED)
        exit(3);
}

/* A communicator of those that live. */
static inline MPI_Comm shrink(void)
{
    MPI_Comm living;

    if (MPIX_Comm_shrink(MPI_COMM_WORLD, &living))
        exit(4);
    MPI_Comm_set_errhandler(living, MPI_ERRORS_RETURN);
    return living;
}

#endif
