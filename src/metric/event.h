/* event: what happens in the library, one by one, for tools (MPI-5.0 section 16.3.8). THE table of event types.
 *
 * Nothing is done for a type that nobody wants: event_is_wanted is one load. Otherwise an event is stamped and put
 * into one queue of the process, in the order of the stamps. event_deliver hands queued events to the listener, one
 * thread at a time, when no lock is held: where progress is made, and after events that are told without a lock.
 * When the queue is full an event is lost, and the listener is told how many.
 */
#ifndef METRIC_EVENT_H
#define METRIC_EVENT_H

#include "metric/metric.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum event_id {
    EVENT_UNEXPECTED,
    EVENT_LARGE_MESSAGE,
    EVENT_SLEEP,
    EVENT_COLLECTIVE,
    EVENT_HINT,
    EVENT_COUNT
};

enum event_source {
    SOURCE_MESSAGES,
    SOURCE_WAITS,
    SOURCE_COLLECTIVES,
    SOURCE_HINTS,
    SOURCE_COUNT
};

enum {
    EVENT_ELEMENTS = 4,
    EVENT_KEY = 64,   /* bytes of a key's place in the event */
    EVENT_ROOM = 1024 /* events that wait to be delivered */
};

struct event_row {
    const char *name;
    enum event_source source;
    int verbosity, bind; /* MPI_T_VERBOSITY_X, MPI_T_BIND_X */
    bool has_key;        /* its first element is a key, MPI_CHAR; all others are MPI_INT64_T */
    const char *element[EVENT_ELEMENTS + 1]; /* their names; NULL ends */
    const char *text;
};

extern const struct event_row event_table[EVENT_COUNT];
extern const struct event_source_row {
    const char *name, *text;
    enum metric_category category;
} event_source_table[SOURCE_COUNT];

struct event {
    enum event_id id;
    uint64_t ns;      /* clock_ns() */
    uint64_t context; /* of the communicator; 0: none */
    char key[EVENT_KEY];
    int64_t value[EVENT_ELEMENTS];
};

extern _Atomic unsigned event_wanted; /* bits of enum event_id; relaxed: a change is seen soon */
static inline bool event_is_wanted(enum event_id id)
{
    return __builtin_expect(atomic_load_explicit(&event_wanted, memory_order_relaxed) >> id & 1, 0);
}

/* Stamps the event and puts it into the queue. Any lock may be held. */
void event_raise(struct event e);

/* Calls the listener for what is in the queue. No lock may be held. */
void event_deliver_now(void);
extern _Atomic bool event_is_queued; /* relaxed: another look follows */
static inline void event_deliver(void)
{
    if (__builtin_expect(atomic_load_explicit(&event_is_queued, memory_order_relaxed), 0))
        event_deliver_now();
}

/* `lost`: so many of its type were lost before it. Set before anything is wanted. Release, and acquire where it is called. */
extern void (*_Atomic event_listener)(const struct event *e, uint64_t lost);

#endif
