#include "world/session.h"

#include "base/fail.h"
#include "boot/boot.h"
#include "net/card.h"
#include "progress/progress.h"
#include "world/model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int session_open(struct info *info, struct errhandler *errhandler, struct session **session)
{
    struct session *s;
    int level, error = session_new(info, errhandler, &s);

    if (error)
        return error;
    level = session_thread_level(s);
    error = model_open(&level);
    if (error) {
        object_retire(&session_pool, &s->object);
        session_unref(s);
        return error;
    }
    session_set_thread_level(s, level);
    *session = s;
    return MPI_SUCCESS;
}

int session_close(struct session *session)
{
    if (!session_is_live(session))
        return fail(MPI_ERR_SESSION,
                    "the session was finalized before; its error handler may only look at it");
    progress_poll(); /* what this session sent last is on its way, if it can be */
    object_retire(&session_pool, &session->object);
    session_unref(session);
    return model_close();
}

/* Process sets. */

static const struct pset {
    const char *name;
    bool is_everybody; /* else the calling process alone */
} psets[] = {
    {"mpi://WORLD", true},
    {"mpi://SELF", false},
};

enum {
    PSETS = sizeof psets / sizeof *psets
};

static const struct pset *find_pset(const char *name)
{
    for (int i = 0; i < PSETS; i++)
        if (strcmp(psets[i].name, name) == 0)
            return &psets[i];
    return NULL;
}

static int pset_size(const struct pset *pset)
{
    return pset->is_everybody ? boot.size : 1;
}

/* The last bit tells everybody from the first process alone. */
int64_t session_pset_identity(const char *name)
{
    const struct pset *pset = find_pset(name);

    if (!pset)
        return -1;
    return (int64_t)(card_identity(pset->is_everybody ? 0 : boot.rank) << 2 >> 1 | pset->is_everybody);
}

int session_count_psets(struct session *session, struct info *info, int *count)
{
    (void)session;
    (void)info;
    *count = PSETS;
    return MPI_SUCCESS;
}

int session_get_nth_pset(struct session *session, struct info *info, int n, int *length, char *name)
{
    (void)session;
    (void)info;
    if (n < 0 || n >= PSETS)
        return fail(MPI_ERR_ARG, "there is no process set %d; they are numbered from 0 to %d", n, PSETS - 1);
    if (*length < 0)
        return fail(MPI_ERR_ARG, "pset_len %d is negative; 0 asks for the size that is needed", *length);
    if (*length > 0)
        snprintf(name, (size_t)*length, "%s", psets[n].name);
    *length = (int)strlen(psets[n].name) + 1;
    return MPI_SUCCESS;
}

int session_get_pset_info(struct session *session, const char *name, struct info **info)
{
    const struct pset *pset = find_pset(name);
    struct info *made;
    char size[16];
    int error;

    (void)session;
    if (!pset)
        return fail(MPI_ERR_ARG,
                    "there is no process set '%.80s'; MPI_Session_get_nth_pset tells those "
                    "that there are",
                    name);
    snprintf(size, sizeof size, "%d", pset_size(pset));
    error = info_new(&made);
    if (error)
        return error;
    error = info_set(made, "mpi_size", size);
    if (error) {
        info_free(made);
        return error;
    }
    *info = made;
    return MPI_SUCCESS;
}

/* The standard gives MPI_GROUP_NULL for a name that is not valid, and no error. */
int group_from_session_pset(struct session *session, const char *name, struct group **group)
{
    const struct pset *pset = find_pset(name);
    struct group *made;
    int *process, error;

    if (!pset) {
        *group = NULL;
        return MPI_SUCCESS;
    }
    process = malloc((size_t)pset_size(pset) * sizeof *process);
    if (!process)
        return fail(MPI_ERR_NO_MEM, "no memory for a group of %d", pset_size(pset));
    for (int i = 0; i < pset_size(pset); i++)
        process[i] = pset->is_everybody ? i : boot.rank;
    error = group_new_in(session, pset_size(pset), process, &made);
    free(process);
    if (error)
        return error;
    group_lend(made);
    group_unref(made);
    *group = made;
    return MPI_SUCCESS;
}
