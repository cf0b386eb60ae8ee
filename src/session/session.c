#include "session/session.h"

#include "plain/fail.h"

#include <stdlib.h>
#include <string.h>

struct pool session_pool = POOL_INIT(OBJECT_SESSION, struct session);

int session_new(struct info *info, struct errhandler *errhandler, struct session **session)
{
    struct session *s = pool_new(&session_pool);
    int error;

    if (!s)
        return fail(MPI_ERR_NO_MEM, "no memory for a session");
    s->errhandler = &errhandler_fatal;
    hints_init(&s->hints, ON_SESSION);
    error = errhandler_attach(&s->errhandler, OBJECT_SESSION, errhandler);
    if (error) {
        session_unref(s);
        return error;
    }
    info_offer(info, &s->hints, AT_SESSION, "MPI_Session_init");
    *session = s;
    return MPI_SUCCESS;
}

void session_ref(struct session *s)
{
    object_ref(&s->object);
}

void session_unref(struct session *s)
{
    if (!object_unref(&s->object))
        return;
    free(s->buffer);
    s->buffer = NULL;
    errhandler_unref(s->errhandler);
    hints_fini(&s->hints);
    pool_free(&session_pool, s);
}

static const struct level {
    int level;
    const char *name;
} levels[] = {
    /* in the order of the row's choices */
    {MPI_THREAD_SINGLE, "MPI_THREAD_SINGLE"},
    {MPI_THREAD_FUNNELED, "MPI_THREAD_FUNNELED"},
    {MPI_THREAD_SERIALIZED, "MPI_THREAD_SERIALIZED"},
    {MPI_THREAD_MULTIPLE, "MPI_THREAD_MULTIPLE"},
};

int session_level_named(const char *name)
{
    for (size_t i = 0; name && i < sizeof levels / sizeof *levels; i++)
        if (strcmp(levels[i].name, name) == 0)
            return levels[i].level;
    return MPI_THREAD_SINGLE;
}

int session_thread_level(const struct session *s)
{
    return levels[hint_value(&s->hints, HINT_THREAD_LEVEL)].level;
}

void session_set_thread_level(struct session *s, int level)
{
    if (level == session_thread_level(s))
        return;
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++)
        if (levels[i].level == level)
            hint_offer(&s->hints, AT_SESSION, "thread_level", levels[i].name);
}

const char *session_kinds(const struct session *s)
{
    return hint_kinds(&s->hints);
}

int session_set_errhandler(struct session *s, struct errhandler *e)
{
    return errhandler_attach(&s->errhandler, OBJECT_SESSION, e);
}

int session_get_errhandler(struct session *s, struct errhandler **e)
{
    errhandler_hand_out(&s->errhandler, e);
    return MPI_SUCCESS;
}

int session_get_info(struct session *s, struct info **info)
{
    return info_of_hints(&s->hints, info);
}
