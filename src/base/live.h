/* live: counts live objects by kind, in builds with INKLING_COUNT_OBJECTS (`make PRESET=counts`); in others
 * these functions do nothing. Pools and free lists keep what is freed, so a sanitizer does not see what the
 * program, or the library, forgot to free. The code that makes or frees something of a kind counts it here.
 * When the process ends after its last model was closed, what is left is printed, and the process exits with
 * LIVE_EXIT. */
#ifndef BASE_LIVE_H
#define BASE_LIVE_H

enum live {
    LIVE_NONE, /* as in enum object_kind (object/object.h) */
    LIVE_COMM,
    LIVE_GROUP,
    LIVE_DATATYPE,
    LIVE_OP,
    LIVE_REQUEST,
    LIVE_MESSAGE,
    LIVE_INFO,
    LIVE_ERRHANDLER,
    LIVE_SESSION,
    LIVE_WIN,
    LIVE_FILE,
    LIVE_CVAR_HANDLE,
    LIVE_PVAR_SESSION,
    LIVE_PVAR_HANDLE,
    LIVE_EVENT_REGISTRATION,
    LIVE_KEYVAL,
    LIVE_OBJECTS, /* not a kind: the number of kinds that are objects */
    LIVE_MATCH,
    LIVE_PACKET,
    LIVE_BUFFERED,
    LIVE_CHUNK,
    LIVE_SCHEDULE,
    LIVE_MAILBOXES,
    LIVE_REGION,
    LIVE_LAYOUT,
    LIVE_CONTENTS,
    LIVE_TOPOLOGY,
    LIVE_KINDS
};

enum {
    LIVE_EXIT = 86
};

#ifdef INKLING_COUNT_OBJECTS
void live_add(enum live kind, int change);
/* Whether objects that this thread makes from now on are the library's own, and stay. */
void live_set_own(int is_own);
/* Whether no model is open: only then does an object left at the end of the process count. */
void live_set_closed(int is_closed);
#else
static inline void live_add(enum live kind, int change)
{
    (void)kind, (void)change;
}

static inline void live_set_own(int is_own)
{
    (void)is_own;
}

static inline void live_set_closed(int is_closed)
{
    (void)is_closed;
}
#endif

#endif
