/* session: a session as data (MPI-5.0 section 11.3). runtime/init.c opens one, which may open the
 * library.
 *
 * Groups made from a session refer to it, and so do groups and communicators made from those. Objects of the
 * World Model refer to none. Three things follow the reference: the memory kinds that an object reports, the
 * error handler of procedures on groups, and the buffer of buffered sends. A reference keeps the memory; the
 * handle is invalid as soon as MPI_Session_finalize returns.
 *
 * Threads: fields are constant after creation unless their comment says otherwise.
 */
#ifndef SESSION_SESSION_H
#define SESSION_SESSION_H

#include "hint/hint.h"
#include "info/info.h"
#include "object/errhandler.h"

#include <mpi.h>

struct session {
    struct object object;
    struct hints hints;            /* set once, when the session is made */
    struct errhandler *errhandler; /* changed by set_errhandler; referenced */
    struct bsend_buffer *buffer;   /* owner: p2p; plain memory, freed with the session */
};

extern struct pool session_pool;
/* The session of a handle; NULL: no live one has it. Any value is safe. */
static inline struct session *session_find(MPI_Session handle)
{
    return (struct session *)pool_find(&session_pool, object_word(handle));
}

/* A session with the hints of info (may be NULL). They can be given in MPI_Session_init only. */
int session_new(struct info *info, struct errhandler *errhandler, struct session **session);
void session_ref(struct session *s);
void session_unref(struct session *s);

/* Whether MPI_Session_finalize has not been called for it. */
static inline bool session_is_live(const struct session *s)
{
    return !object_is_retired(&s->object);
}

/* The thread level of this name; MPI_THREAD_SINGLE for NULL and other texts. session_thread_level: the level
 * that the program was granted, MPI_THREAD_X. */
int session_level_named(const char *name);
int session_thread_level(const struct session *s);
/* The memory kinds that its objects support. Lives as long as the session. */
const char *session_kinds(const struct session *s);
/* Records that a lower level was granted than requested. Call it before the session is returned. */
void session_set_thread_level(struct session *s, int level);

/* Bodies of MPI_Session_X. */
int session_set_errhandler(struct session *s, struct errhandler *e);
int session_get_errhandler(struct session *s, struct errhandler **e);
int session_get_info(struct session *s, struct info **info);

#endif
