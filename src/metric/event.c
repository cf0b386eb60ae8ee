#include "metric/event.h"

#include "base/lock.h"
#include "plain/clock.h"

#include <mpi.h>
#include <stddef.h>

_Atomic unsigned event_wanted;
_Atomic bool event_is_queued;
void (*_Atomic event_listener)(const struct event *e, uint64_t lost);

static struct lock lock = LOCK_INIT; /* guards the queue; always taken, the last of all */
static struct event queue[EVENT_ROOM];
static unsigned first, count;
static uint64_t lost[EVENT_COUNT];
static _Atomic bool is_delivering; /* acquire by the thread that begins to, release when it ends */

const struct event_source_row event_source_table[SOURCE_COUNT] = {
    [SOURCE_MESSAGES] = {"inkling_messages", "The matching of messages and receives.", CATEGORY_MESSAGES},
    [SOURCE_WAITS] = {"inkling_waits", "The wait loop.", CATEGORY_WAITING},
    [SOURCE_COLLECTIVES] = {"inkling_collectives", "The choice of algorithms of collectives.",
                            CATEGORY_COLLECTIVES},
    [SOURCE_HINTS] = {"inkling_hints", "What became of hints that the program gave.", CATEGORY_HINTS},
};

const struct event_row event_table[EVENT_COUNT] = {
    [EVENT_UNEXPECTED] = {.name = "inkling_message_unexpected",
                          .source = SOURCE_MESSAGES,
                          .verbosity = MPI_T_VERBOSITY_USER_DETAIL,
                          .bind = MPI_T_BIND_MPI_COMM,
                          .element = {"source", "tag", "bytes"},
                          .text = "A message came before its receive, and brought so many bytes along: a "
                                  "large one only says where it is."},
    [EVENT_LARGE_MESSAGE] =
        {.name = "inkling_large_message",
         .source = SOURCE_MESSAGES,
         .verbosity = MPI_T_VERBOSITY_USER_DETAIL,
         .bind = MPI_T_BIND_MPI_COMM,
         .element = {"source", "tag", "bytes", "protocol"},
         .text = "A large message begins to move to its receive. Protocol: 0 pack_pipeline, 1 "
                 "device_copy, 2 dual_copy, 3 single_copy, 4 network_read, 5 pieces, as in the "
                 "names of performance variables."},
    [EVENT_SLEEP] = {.name = "inkling_sleep",
                     .source = SOURCE_WAITS,
                     .verbosity = MPI_T_VERBOSITY_TUNER_BASIC,
                     .bind = MPI_T_BIND_NO_OBJECT,
                     .element = {"ns"},
                     .text = "A wait has slept for so many nanoseconds."},
    [EVENT_COLLECTIVE] = {.name = "inkling_collective",
                          .source = SOURCE_COLLECTIVES,
                          .verbosity = MPI_T_VERBOSITY_USER_DETAIL,
                          .bind = MPI_T_BIND_MPI_COMM,
                          .element = {"collective", "algorithm"},
                          .text =
                              "A collective begins. Collective: as the rows of `inkling coll`, from 0 on. "
                              "Algorithm: 0 by messages, 1 in shared memory, 2 by single copies."},
    [EVENT_HINT] =
        {.name = "inkling_hint",
         .source = SOURCE_HINTS,
         .verbosity = MPI_T_VERBOSITY_USER_BASIC,
         .bind = MPI_T_BIND_NO_OBJECT,
         .has_key = true,
         .element = {"key", "verdict"},
         .text =
             "A hint was offered. Verdict: 1 accepted, 2 no hint of this kind of object, 3 not a "
             "legal value, 4 not now, 5 a memory kind that is not supported, 8 without effect, 9 no memory."},
};

void event_raise(struct event e)
{
    lock_always_take(&lock);
    e.ns = clock_ns();
    if (count < EVENT_ROOM)
        queue[(first + count++) % EVENT_ROOM] = e;
    else
        lost[e.id]++;
    atomic_store_explicit(&event_is_queued, true, memory_order_relaxed);
    lock_always_release(&lock);
}

/* The first event of the queue, and how many of its type were lost before. */
static bool take_first(struct event *e, uint64_t *lost_before)
{
    bool found;

    lock_always_take(&lock);
    found = count > 0;
    if (found) {
        *e = queue[first];
        first = (first + 1) % EVENT_ROOM;
        count--;
        *lost_before = lost[e->id];
        lost[e->id] = 0;
    } else {
        atomic_store_explicit(&event_is_queued, false, memory_order_relaxed);
    }
    lock_always_release(&lock);
    return found;
}

void event_deliver_now(void)
{
    struct event e;
    uint64_t lost_before;

    if (atomic_exchange_explicit(&is_delivering, true, memory_order_acquire))
        return;
    while (take_first(&e, &lost_before))
        atomic_load_explicit(&event_listener, memory_order_acquire)(&e, lost_before);
    atomic_store_explicit(&is_delivering, false, memory_order_release);
}
