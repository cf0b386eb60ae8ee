/* mpit: what the tests of MPI_T share: a variable by name, and its value. */
#ifndef TESTS_MPI_MPIT_H
#define TESTS_MPI_MPIT_H

#include "check.h"

static inline void mpit_open(void)
{
    int provided = -1;

    CHECK_EQ(MPI_T_init_thread(MPI_THREAD_MULTIPLE, &provided), MPI_SUCCESS);
    CHECK_EQ(provided, MPI_THREAD_MULTIPLE);
}

static inline int mpit_pvar(const char *name, int var_class)
{
    int index = -1;

    CHECK_EQ(MPI_T_pvar_get_index(name, var_class, &index), MPI_SUCCESS);
    return index;
}

/* A started handle; comm is for variables that are bound to one. */
static inline MPI_T_pvar_handle mpit_start(MPI_T_pvar_session session, const char *name, int var_class,
                                           MPI_Comm comm)
{
    MPI_T_pvar_handle handle = MPI_T_PVAR_HANDLE_NULL;
    int count = -1;

    CHECK_EQ(MPI_T_pvar_handle_alloc(session, mpit_pvar(name, var_class), &comm, &handle, &count),
             MPI_SUCCESS);
    CHECK_EQ(count, 1);
    if (var_class != MPI_T_PVAR_CLASS_LEVEL && var_class != MPI_T_PVAR_CLASS_SIZE)
        CHECK_EQ(MPI_T_pvar_start(session, handle), MPI_SUCCESS);
    return handle;
}

static inline unsigned long long mpit_read(MPI_T_pvar_session session, MPI_T_pvar_handle handle)
{
    unsigned long long value = ~0ull;

    CHECK_EQ(MPI_T_pvar_read(session, handle, &value), MPI_SUCCESS);
    return value;
}

#endif
