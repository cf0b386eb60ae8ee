#include "base/live.h"

#ifdef INKLING_COUNT_OBJECTS
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

#define NAME(name, title) [LIVE_##name] = (title),
static const char *const names[LIVE_KINDS] = {LIVE_OBJECT_KINDS(NAME) LIVE_OTHER_KINDS(NAME)};

static atomic_int alive[LIVE_KINDS]; /* relaxed: threads that count have ended when it is read */
static _Thread_local int makes_own;
static atomic_int is_closed_now;

void live_add(enum live kind, int change)
{
    if (!makes_own)
        atomic_fetch_add_explicit(&alive[kind], change, memory_order_relaxed);
}

void live_set_own(int is_own)
{
    makes_own = is_own;
}

void live_set_closed(int is_closed)
{
    atomic_store_explicit(&is_closed_now, is_closed, memory_order_relaxed);
}

__attribute__((destructor)) static void live_report(void)
{
    int kinds = 0;

    if (!atomic_load_explicit(&is_closed_now, memory_order_relaxed))
        return;
    for (int kind = 0; kind < LIVE_KINDS; kind++) {
        int left = atomic_load_explicit(&alive[kind], memory_order_relaxed);

        if (left == 0)
            continue;
        fprintf(stderr, "inkling: left at the end: %d %s\n", left, names[kind]);
        kinds++;
    }
    if (kinds) {
        fflush(NULL);
        _exit(LIVE_EXIT);
    }
}
#endif
