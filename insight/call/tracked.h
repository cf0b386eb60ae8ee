/* tracked: the objects that the program has made and not freed, by kind and handle, with the call that made them. */
#ifndef INSIGHT_CALL_TRACKED_H
#define INSIGHT_CALL_TRACKED_H

#include "insight/call/intercept.h"

enum tracked_kind {
    TRACKED_COMM,
    TRACKED_REQUEST,
    TRACKED_TYPE,
    TRACKED_WIN,
    TRACKED_FILE,
    TRACKED_OP,
    TRACKED_GROUP,
    TRACKED_INFO,
    TRACKED_ERRHANDLER,
    TRACKED_KEYVAL,
    TRACKED_MEMORY,
    TRACKED_MESSAGE,
    TRACKED_SESSION,
    TRACKED_FREED_KEYVAL, /* of attributes: tolerance_check.c */
    TRACKED_KINDS
};

/* The head of a record; some have more behind it. */
struct tracked {
    enum tracked_kind kind;
    bool is_ours;   /* made by the library below or by a check: no leak */
    bool is_cached; /* a binding keeps it to the end: no leak */
    uint64_t handle;
    void *site;
    const struct procedure *maker;
    const void *variable; /* where the program has the handle; NULL: not known */
    uint64_t
        session; /* that a communicator, group or window is derived from; 0: the World Model, or not known */
    struct tracked *next, **at; /* in the bucket; `at` points to this one there, NULL: it is in none */
};

/* Zeroed but for the head; NULL: no memory. A record of that handle is replaced, but not of a request, a group or an error handler: a
 * library may give all requests that were complete at once one handle, or equal groups, and each has a record until it is removed. */
void *tracked_add(enum tracked_kind kind, uint64_t handle, size_t size, const struct intercept *call);
/* Memory that a record must have: NULL makes the records incomplete. */
void *tracked_must(void *memory);
extern bool tracked_is_incomplete; /* under the call lock */
void *tracked_find(enum tracked_kind kind, uint64_t handle);
/* The same for memory that the caller has, all of it zero, which it takes back by tracked_detach. */
void tracked_put(enum tracked_kind kind, uint64_t handle, struct tracked *record,
                 const struct intercept *call);
/* Writes the head of a record that is put into the table later, or never. */
static inline void tracked_describe(struct tracked *record, enum tracked_kind kind, uint64_t handle,
                                    const struct intercept *call)
{
    record->kind = kind;
    record->handle = handle;
    record->site = call ? call->site : NULL;
    record->maker = call ? call->procedure : NULL;
    record->is_ours = !call || call->is_of_binding;
}
/* Puts a record there whose head is written. */
void tracked_hang_up(struct tracked *record);
/* How many communicators and datatypes have been taken out: who keeps a record must find it anew. */
extern uint64_t tracked_gone;
/* Out of the table, but not out of memory. */
void tracked_detach(struct tracked *record);
void tracked_remove(enum tracked_kind kind, uint64_t handle);
/* Of records with one handle that of this variable, else the newest. */
void tracked_remove_of(enum tracked_kind kind, uint64_t handle, const void *variable);
/* Calls back for each record of a kind, which it may remove. */
void tracked_each(enum tracked_kind kind, void (*visit)(struct tracked *record));

#endif
