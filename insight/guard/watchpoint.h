/* watchpoint: where the program reads or writes bytes that it must leave alone for now.
 *
 * Pages are guarded (page_guard.h): then all bytes are watched, and what MPI does in a call is not seen. Where that cannot be, as with
 * several threads or another library, hardware has four watchpoints on x86, of at most 8 aligned bytes each, which Linux lends by
 * perf_event_open. One watches what its thread does, and each hit costs a signal. So only the first bytes of a buffer are
 * watched, only as many as are free, and only the first of a process. Where there is neither, nothing is watched.
 */
#ifndef INSIGHT_GUARD_WATCHPOINT_H
#define INSIGHT_GUARD_WATCHPOINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    WATCHPOINT_BYTES = 8
};

struct watchpoint_hit {
    void *at; /* the instruction behind it */
    bool is_store;
    bool may_poll;  /* a load that a loop may have made again until it brought another value */
    bool is_atomic; /* some access since the watchpoint was set was by an instruction that locks */
    int bytes;      /* some of those that were touched, from the address that is watched */
    int64_t byte[WATCHPOINT_BYTES];
};

/* Something was hit that nobody has taken yet. */
extern volatile bool watchpoint_was_hit;

enum watchpoint_kind {
    WATCH_STORES,
    WATCH_ACCESSES,         /* loads and stores, not told apart: is_store is true of all */
    WATCH_LOADS_AND_STORES, /* told apart, which takes two of the four */
};
/* Valgrind runs the program: it loads libraries of its own first. Nothing can be watched then. */
bool watchpoint_is_under_valgrind(void);
/* Whether there may be one to set. */
bool watchpoint_is_left(void);
/* Watches the first bytes at the address; 0: it does not. */
int watchpoint_set(const void *address, size_t length, enum watchpoint_kind kind);
/* It is a guard: others are not scarce. */
bool watchpoint_has_all(int watchpoint);
/* More bytes, which only guards watch. */
void watchpoint_add(int watchpoint, const void *address, size_t length);
void watchpoint_clear(int watchpoint);
/* What has hit it since it was asked last; false: nothing more. */
bool watchpoint_take(int watchpoint, struct watchpoint_hit *hit);

#endif
