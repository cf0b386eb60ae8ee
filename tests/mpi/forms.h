/* forms: the blocking, nonblocking and persistent form of a collective, tested by the same code.
 *
 *     for (enum form form = 0; form < FORMS; form++)
 *         CHECK_EQ(RUN(Bcast, Ibcast, buffer, 1, MPI_INT, root, comm), MPI_SUCCESS);
 *
 * A persistent one is started three times; what a test names before it with
 *
 *     forms_result(buffer, sizeof buffer);
 *
 * gets back before each start what it holds now, so that no start passes with the results of another. */
#ifndef TESTS_MPI_FORMS_H
#define TESTS_MPI_FORMS_H

#include "check.h"

enum form {
    BLOCKING,
    NONBLOCKING,
    PERSISTENT,
    FORMS
};

static struct {
    void *at, *before;
    size_t bytes;
} forms_kept; /* of the next collective; before: NULL: none */

static inline void forms_result(void *at, size_t bytes)
{
    forms_kept.at = at;
    forms_kept.bytes = bytes;
    forms_kept.before = realloc(forms_kept.before, bytes + 1);
    CHECK(forms_kept.before != NULL);
    memcpy(forms_kept.before, at, bytes);
}

static inline int forms_start(MPI_Request *request)
{
    int error;

    if (forms_kept.before)
        memcpy(forms_kept.at, forms_kept.before, forms_kept.bytes);
    error = MPI_Start(request);
    return error ? error : MPI_Wait(request, MPI_STATUS_IGNORE);
}

static inline int forms_finish(int error, MPI_Request *request, enum form form)
{
    if (!error && form == NONBLOCKING)
        error = MPI_Wait(request, MPI_STATUS_IGNORE);
    if (!error && form == PERSISTENT) {
        for (int i = 0; i < 3 && !error; i++)
            error = forms_start(request);
        CHECK_EQ(MPI_Request_free(request), MPI_SUCCESS);
    }
    free(forms_kept.before);
    forms_kept.before = NULL;
    return error;
}

#define RUN(name, nonblocking, ...)                                                                          \
    forms_finish(form == BLOCKING      ? MPI_##name(__VA_ARGS__)                                             \
                 : form == NONBLOCKING ? MPI_##nonblocking(__VA_ARGS__, &forms_request)                      \
                                       : MPI_##name##_init(__VA_ARGS__, MPI_INFO_NULL, &forms_request),      \
                 &forms_request, form)

static MPI_Request forms_request;

#endif
