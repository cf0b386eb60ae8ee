/* What the programs that only use sessions share. */
#ifndef TESTS_CHECK_SESSION_H
#define TESTS_CHECK_SESSION_H

#include "program.h"

static MPI_Session session;
static MPI_Comm comm;

/* As begin(), of a program that never calls MPI_Init. */
static inline void begin_session(void)
{
    MPI_Group group;

    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
    MPI_Comm_create_from_group(group, "all", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
    MPI_Group_free(&group);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
}

static inline void end_session(void)
{
    MPI_Comm_free(&comm);
    MPI_Session_finalize(&session);
}

#endif
