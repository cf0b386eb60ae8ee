/* live: counts live objects by kind, in builds with INKLING_COUNT_OBJECTS (`make PRESET=counts`); in others
 * these functions do nothing. Pools and free lists keep what is freed, so a sanitizer does not see what the
 * program, or the library, forgot to free. The code that makes or frees something of a kind counts it here.
 * When the process ends after its last model was closed, what is left is printed, and the process exits with
 * LIVE_EXIT. */
#ifndef BASE_LIVE_H
#define BASE_LIVE_H

/* Objects that have handles, in the order of enum object_kind (object/object.h), and everything else that is counted. */
#define LIVE_OBJECT_KINDS(KIND)                                                                              \
    KIND(COMM, "communicators")                                                                              \
    KIND(GROUP, "groups")                                                                                    \
    KIND(DATATYPE, "datatypes")                                                                              \
    KIND(OP, "operations")                                                                                   \
    KIND(REQUEST, "requests")                                                                                \
    KIND(MESSAGE, "matched messages")                                                                        \
    KIND(INFO, "info objects")                                                                               \
    KIND(ERRHANDLER, "error handlers")                                                                       \
    KIND(SESSION, "sessions")                                                                                \
    KIND(WIN, "windows")                                                                                     \
    KIND(FILE, "files")                                                                                      \
    KIND(CVAR_HANDLE, "handles of control variables")                                                        \
    KIND(PVAR_SESSION, "sessions of performance variables")                                                  \
    KIND(PVAR_HANDLE, "handles of performance variables")                                                    \
    KIND(EVENT_REGISTRATION, "registrations of events")                                                      \
    KIND(KEYVAL, "attribute keys")
#define LIVE_OTHER_KINDS(KIND)                                                                               \
    KIND(MATCH, "matching spaces")                                                                           \
    KIND(PACKET, "messages that found no room")                                                              \
    KIND(BUFFERED, "buffered messages")                                                                      \
    KIND(CHUNK, "chunks of a staging area")                                                                  \
    KIND(SCHEDULE, "schedules")                                                                              \
    KIND(MAILBOXES, "mailboxes")                                                                             \
    KIND(REGION, "shared regions")                                                                           \
    KIND(LAYOUT, "layouts")                                                                                  \
    KIND(CONTENTS, "contents of datatypes")                                                                  \
    KIND(TOPOLOGY, "topologies")                                                                             \
    KIND(PARTNERS, "epochs of windows")                                                                      \
    KIND(ATTACHMENTS, "lists of attached memory")                                                            \
    KIND(AGENT, "agents of windows")                                                                         \
    KIND(SERVED, "one-sided operations that are served")                                                     \
    KIND(AGGREGATORS, "aggregators of files")                                                                \
    KIND(TASK, "nonblocking accesses to files")                                                              \
    KIND(PORT, "ports")                                                                                      \
    KIND(CHILD_JOB, "spawned jobs")

#define LIVE_KIND(name, title) LIVE_##name,
enum live {
    LIVE_NONE,
    LIVE_OBJECT_KINDS(LIVE_KIND) /* as in enum object_kind */
    LIVE_OBJECTS,                /* not a kind: the number of kinds that are objects */
    LIVE_OTHER_KINDS(LIVE_KIND)  /* what has no handle */
    LIVE_KINDS
};
#undef LIVE_KIND

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
