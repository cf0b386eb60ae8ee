#include "base/live.h"

#ifdef INKLING_COUNT_OBJECTS
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

static const char *const names[LIVE_KINDS] = {
    [LIVE_COMM] = "communicators",
    [LIVE_GROUP] = "groups",
    [LIVE_DATATYPE] = "datatypes",
    [LIVE_OP] = "operations",
    [LIVE_REQUEST] = "requests",
    [LIVE_MESSAGE] = "matched messages",
    [LIVE_INFO] = "info objects",
    [LIVE_ERRHANDLER] = "error handlers",
    [LIVE_SESSION] = "sessions",
    [LIVE_CVAR_HANDLE] = "handles of control variables",
    [LIVE_PVAR_SESSION] = "sessions of performance variables",
    [LIVE_PVAR_HANDLE] = "handles of performance variables",
    [LIVE_EVENT_REGISTRATION] = "registrations of events",
    [LIVE_KEYVAL] = "attribute keys",
    [LIVE_MATCH] = "matching spaces",
    [LIVE_PACKET] = "messages that found no room",
    [LIVE_BUFFERED] = "buffered messages",
    [LIVE_CHUNK] = "chunks of a staging area",
    [LIVE_SCHEDULE] = "schedules",
    [LIVE_MAILBOXES] = "mailboxes",
    [LIVE_REGION] = "shared regions",
    [LIVE_LAYOUT] = "layouts",
    [LIVE_CONTENTS] = "contents of datatypes",
    [LIVE_TOPOLOGY] = "topologies",
};

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

        if (left == 0 || !names[kind])
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
