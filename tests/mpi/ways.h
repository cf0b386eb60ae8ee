/* ways: which way the program's collectives have taken, as MPI_T counts them. */
#ifndef TESTS_MPI_WAYS_H
#define TESTS_MPI_WAYS_H

#include "mpi/mpit.h"

enum way {
    WAY_SHARED, /* mailboxes */
    WAY_COPIED, /* single copies */
    WAY_MESSAGES,
    WAYS
};

static MPI_T_pvar_session ways_session;
static MPI_T_pvar_handle ways_handle[WAYS];

static inline void ways_open(void)
{
    static const char *const name[WAYS] = {"inkling_collectives_in_shared_memory",
                                           "inkling_collectives_by_single_copy",
                                           "inkling_collectives_by_messages"};

    mpit_open();
    CHECK_EQ(MPI_T_pvar_session_create(&ways_session), MPI_SUCCESS);
    for (int way = 0; way < WAYS; way++)
        ways_handle[way] = mpit_start(ways_session, name[way], MPI_T_PVAR_CLASS_COUNTER, MPI_COMM_NULL);
}

static inline void ways_close(void)
{
    CHECK_EQ(MPI_T_pvar_session_free(&ways_session), MPI_SUCCESS);
    CHECK_EQ(MPI_T_finalize(), MPI_SUCCESS);
}

/* How many have taken it. */
static inline unsigned long long ways_count(enum way way)
{
    return mpit_read(ways_session, ways_handle[way]);
}

#endif
