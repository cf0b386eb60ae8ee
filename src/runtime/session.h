/* session: a session as data (MPI-5.0 section 11.3). Opening one, which may open the library, is src/world.
 *
 * Groups made from a session refer to it, and so do groups and communicators made from those; objects of the
 * World Model refer to none. Three things follow the reference: the memory kinds that an object reports, the
 * error handler of procedures on groups, and the buffer of buffered sends. A reference keeps the memory; the
 * handle is dead as soon as MPI_Session_finalize returns.
 *
 * Threads: fields are constant after creation unless their comment says otherwise.
 */
#ifndef RUNTIME_SESSION_H
#define RUNTIME_SESSION_H

#include "hint/hint.h"
#include "info/info.h"
#include "object/errhandler.h"

#include <mpi.h>

struct session {
    struct object object;
    struct hints hints;            /* set when the session is made and never again */
    struct errhandler *errhandler; /* changed by set_errhandler; referenced */
    struct buffer *buffer;         /* owner: p2p; plain memory, freed with the session */
};

extern struct pool session_pool;
/* The session of a handle; NULL: of none that is alive. Any value is safe. */
static inline struct session *session_find(MPI_Session handle)
{
    return (struct session *)pool_find(&session_pool, object_word(handle));
}

/* With the hints of info (may be NULL), which may be asked for in MPI_Session_init only. */
int session_new(struct info *info, struct errhandler *errhandler, struct session **session);
void session_ref(struct session *s);
void session_unref(struct session *s);

/* Its handle, as callbacks get it. */
static inline MPI_Session session_handle(const struct session *s)
{
    return (MPI_Session)(uintptr_t)object_handle(&s->object);
}

/* Whether MPI_Session_finalize has not been called for it. */
static inline bool session_is_live(const struct session *s)
{
    return !object_is_retired(&s->object);
}

/* The level of thread support that its program was granted, MPI_THREAD_X. */
/* MPI_THREAD_SINGLE for NULL and what is no level. */
int session_level_named(const char *name);
int session_thread_level(const struct session *s);
/* The memory kinds that its objects support. Lives as long as the session. */
const char *session_kinds(const struct session *s);
/* Less was granted than asked for. Before the session is handed out. */
void session_set_thread_level(struct session *s, int level);

/* Bodies of MPI_Session_X. */
int session_set_errhandler(struct session *s, struct errhandler *e);
int session_get_errhandler(struct session *s, struct errhandler **e);
int session_get_info(struct session *s, struct info **info);

#endif
