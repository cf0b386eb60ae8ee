/* watchpoint: hardware watchpoints, which say where the program reads or writes bytes that it must leave alone for now.
 *
 * x86 has four, of at most 8 aligned bytes each, and Linux lends them by perf_event_open. One watches what its thread does, and each
 * hit costs a signal. So only the first bytes of a buffer are watched, only as many as are free, and only the first of a process.
 * What MPI itself does in a call does not count. Where there are none, nothing is watched.
 */
#ifndef INSIGHT_WATCHPOINT_H
#define INSIGHT_WATCHPOINT_H

#include <stdbool.h>
#include <stddef.h>

struct watchpoint_hit {
    void *at; /* the instruction behind it */
    bool is_store;
    bool is_atomic; /* some access since the watchpoint was set was by an instruction that locks */
};

/* Something was hit that nobody has taken yet. */
extern volatile bool watchpoint_was_hit;

enum watchpoint_kind {
    WATCH_STORES,
    WATCH_ACCESSES,         /* loads and stores, not told apart: is_store is true of all */
    WATCH_LOADS_AND_STORES, /* told apart, which takes two of the four */
};
/* Watches the first bytes at the address; 0: it does not. */
int watchpoint_set(const void *address, size_t length, enum watchpoint_kind kind);
void watchpoint_clear(int watchpoint);
/* What has hit it, the first time since it was asked last. */
bool watchpoint_take(int watchpoint, struct watchpoint_hit *hit);

#endif
