/* forms: the blocking, nonblocking and persistent form of a collective, tested by the same code.
 *
 *     for (enum form form = 0; form < FORMS; form++)
 *         CHECK_EQ(RUN(Bcast, Ibcast, buffer, 1, MPI_INT, root, comm), MPI_SUCCESS);
 *
 * A persistent one is started three times. */
#ifndef TESTS_MPI_FORMS_H
#define TESTS_MPI_FORMS_H

#include "check.h"

enum form {
    BLOCKING,
    NONBLOCKING,
    PERSISTENT,
    FORMS
};

static inline int forms_finish(int error, MPI_Request *request, enum form form)
{
    if (error || form == BLOCKING)
        return error;
    if (form == NONBLOCKING)
        return MPI_Wait(request, MPI_STATUS_IGNORE);
    for (int i = 0; i < 3 && !error; i++) {
        error = MPI_Start(request);
        if (!error)
            error = MPI_Wait(request, MPI_STATUS_IGNORE);
    }
    CHECK_EQ(MPI_Request_free(request), MPI_SUCCESS);
    return error;
}

#define RUN(name, nonblocking, ...)                                                                          \
    forms_finish(form == BLOCKING      ? MPI_##name(__VA_ARGS__)                                             \
                 : form == NONBLOCKING ? MPI_##nonblocking(__VA_ARGS__, &forms_request)                      \
                                       : MPI_##name##_init(__VA_ARGS__, MPI_INFO_NULL, &forms_request),      \
                 &forms_request, form)

static MPI_Request forms_request;

#endif
