#include "insight/memory/memory_use.h"

#include "insight/board/process_record.h"
#include "insight/call/call_lock.h"
#include "insight/findings/finding.h"

#include <stdatomic.h>
#include <stdio.h>

enum {
    USES = 64 /* more are not looked at */
};

/* `memory` is written under the lock of checks, and read by threads that free something. */
static struct memory_use {
    _Atomic uintptr_t memory; /* 0: free; release: the rest is written */
    void *site;
    const struct procedure *user;
    const char *end;
    struct stack_frame frame;
} uses[USES];
static int in_use;

_Atomic bool memory_use_is_wanted;

static uintptr_t memory_in_use(struct memory_use *u)
{
    return atomic_load_explicit(&u->memory, memory_order_acquire);
}

static struct memory_use *find_use(uintptr_t low, uintptr_t high)
{
    for (struct memory_use *u = uses; u < uses + USES; u++)
        if (memory_in_use(u) && memory_in_use(u) >= low && memory_in_use(u) < high)
            return u;
    return NULL;
}

void memory_use_begin(const struct intercept *call, const void *memory, int64_t size, const char *end)
{
    struct memory_use *u = uses;

    while (u < uses + USES && memory_in_use(u))
        u++;
    if (!memory || size <= 0 || u == uses + USES)
        return;
    u->site = call->site;
    u->user = call->procedure;
    u->end = end;
    u->frame.end = 0;
    stack_frame_find((uintptr_t)memory, &u->frame);
    atomic_store_explicit(&u->memory, (uintptr_t)memory, memory_order_release);
    in_use++;
    atomic_store_explicit(&memory_use_is_wanted, true, memory_order_relaxed);
}

static void end_use(struct memory_use *u)
{
    atomic_store_explicit(&u->memory, 0, memory_order_release);
    atomic_store_explicit(&memory_use_is_wanted, --in_use > 0, memory_order_relaxed);
}

void memory_use_end(const void *memory)
{
    struct memory_use *u = memory ? find_use((uintptr_t)memory, (uintptr_t)memory + 1) : NULL;

    if (u)
        end_use(u);
}

/* Once: it is not in use any more. */
static void say_gone(struct intercept *call, void *site, struct memory_use *u, const char *what)
{
    char fix[64];

    snprintf(fix, sizeof fix, "call %s first", u->end);
    finding_add(&(struct finding_about){.class = FINDING_BUFFER,
                                        .call = call,
                                        .where = site,
                                        .made = u->site,
                                        .made_by = "the call that gave it to MPI",
                                        .fix = fix},
                "memory that %s has given to MPI %s before %s", u->user->name, what, u->end);
    end_use(u);
}

/* What MPI frees itself, in a call, is its own. */
void memory_use_freed(uintptr_t block, size_t size, void *site)
{
    struct memory_use *u = find_use(block, block + (size > 1 ? size - 1 : 1));

    if (!u || intercept_is_inside())
        return;
    call_lock_take();
    u = find_use(block, block + (size > 1 ? size - 1 : 1));
    if (u && process.is_up)
        say_gone(NULL, site, u, "is freed");
    call_lock_release();
}

void memory_use_mpi_frees(struct intercept *call, const void *memory)
{
    struct memory_use *u = memory ? find_use((uintptr_t)memory, (uintptr_t)memory + 1) : NULL;

    if (u)
        say_gone(call, NULL, u, "is freed");
}

void memory_use_look(struct intercept *call, const void *memory)
{
    struct memory_use *u = memory ? find_use((uintptr_t)memory, (uintptr_t)memory + 1) : NULL;

    if (u && stack_frame_is_gone(&u->frame, call + 1))
        say_gone(call, NULL, u, "is of a function that has returned");
}
