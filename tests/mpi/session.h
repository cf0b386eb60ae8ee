/* session: what the tests of sessions share. */
#ifndef TESTS_SESSION_H
#define TESTS_SESSION_H

#include "check.h"

static inline MPI_Session open_session(void)
{
    MPI_Session session = MPI_SESSION_NULL;

    CHECK_EQ(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session), MPI_SUCCESS);
    CHECK(session != MPI_SESSION_NULL);
    return session;
}

static inline void close_session(MPI_Session *session)
{
    CHECK_EQ(MPI_Session_finalize(session), MPI_SUCCESS);
    CHECK(*session == MPI_SESSION_NULL);
}

static inline MPI_Group group_of(MPI_Session session, const char *pset)
{
    MPI_Group group = MPI_GROUP_NULL;

    CHECK_EQ(MPI_Group_from_session_pset(session, pset, &group), MPI_SUCCESS);
    CHECK(group != MPI_GROUP_NULL);
    return group;
}

static inline MPI_Comm comm_of(MPI_Session session, const char *pset, const char *tag)
{
    MPI_Group group = group_of(session, pset);
    MPI_Comm comm = MPI_COMM_NULL;

    CHECK_EQ(MPI_Comm_create_from_group(group, tag, MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm), MPI_SUCCESS);
    CHECK(comm != MPI_COMM_NULL);
    CHECK_EQ(MPI_Group_free(&group), MPI_SUCCESS);
    return comm;
}

/* Checks the sum of all ranks + 1, and sends a message around the ranks. */
static inline void check_traffic(MPI_Comm comm)
{
    int rank, size, sum, token;

    CHECK_EQ(MPI_Comm_rank(comm, &rank), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_size(comm, &size), MPI_SUCCESS);
    rank++;
    CHECK_EQ(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm), MPI_SUCCESS);
    CHECK_EQ(sum, size * (size + 1) / 2);
    rank--;
    CHECK_EQ(MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 7, &token, 1, MPI_INT,
                          (rank + size - 1) % size, 7, comm, MPI_STATUS_IGNORE),
             MPI_SUCCESS);
    CHECK_EQ(token, (rank + size - 1) % size);
}

#endif
