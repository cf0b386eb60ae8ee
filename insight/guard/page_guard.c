#include "insight/guard/page_guard.h"

#include "insight/board/process_record.h"
#include "insight/order/order_clock.h"

#include <stdlib.h>
#include <string.h>

volatile bool page_guard_is_up;
bool page_guard_is_wanted;

#if defined __x86_64__ && defined __linux__

enum {
    GUARDS = 64,
    RANGES = 64,  /* of one */
    HITS = 16,    /* of one, in different places of the program */
    RAISES = 32,  /* of one */
    BUDGET = 256, /* that a process sets */
    PAGES = 16    /* of a buffer */
};

struct range {
    uintptr_t low, high;
};

/* Written by the signal handler while guards are up, else under the checks' lock. */
static struct guard {
    bool is_used;
    enum watchpoint_kind kind;
    int ranges, raises, hits, taken;
    struct range range[RANGES];
    struct watchpoint_hit hit[HITS];
} guards[GUARDS];

static int left = BUDGET;
static bool is_changed; /* pages are to be found again */

static bool bears_guards(void)
{
    char version[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int length = 0;

    real.Get_library_version(version, &length);
    return strstr(version, "Inkling") && !getenv("INKLING_PROGRESS_THREAD");
}

void page_guard_open(void)
{
    const char *hints = getenv("INKLING_HINTS");

    if (guarded_pages_exist() && !(hints && strstr(hints, "inkling_cma")))
        setenv("INKLING_CMA", "messages", 0);
}

static int usable; /* 1: they may be used, -1: they may not, 0: not known yet */

static bool find_whether_usable(void)
{
    const char *cma = getenv("INKLING_CMA");

    usable = cma && strcmp(cma, "true") != 0 && bears_guards() && guarded_pages_open() ? 1 : -1;
    return usable > 0;
}

static inline bool may_be_used(void)
{
    return usable ? usable > 0 : find_whether_usable();
}

static void guard_range(struct guard *g, uintptr_t low, uintptr_t high)
{
    if (g->ranges == RANGES || !guard_memory_is_plain(low / PAGE * PAGE, (high + PAGE - 1) / PAGE * PAGE))
        return;
    g->range[g->ranges++] = (struct range){low, high};
    is_changed = true;
}

/* Of many pages the first and the last. */
void page_guard_add(int guard, const void *address, size_t length)
{
    struct guard *g = &guards[guard - 1];
    uintptr_t low = (uintptr_t)address, high = low + length, part = (uintptr_t)PAGES / 2 * PAGE;

    if (length == 0)
        return;
    if (length <= 2 * part) {
        guard_range(g, low, high);
        return;
    }
    guard_range(g, low, low + part);
    guard_range(g, high - part, high);
}

bool page_guard_is_left(void)
{
    return left > 0 && may_be_used();
}

int page_guard_set(const void *address, size_t length, enum watchpoint_kind kind)
{
    int i = 0;

    if (left == 0 || !address || !may_be_used())
        return 0;
    while (i < GUARDS && guards[i].is_used)
        i++;
    if (i == GUARDS)
        return 0;
    guards[i] = (struct guard){.kind = kind, .raises = RAISES};
    page_guard_add(i + 1, address, length);
    if (guards[i].ranges == 0)
        return 0;
    left--;
    guards[i].is_used = page_guard_is_wanted = true;
    return i + 1;
}

void page_guard_clear(int guard)
{
    guards[guard - 1].is_used = false;
    is_changed = true;
}

bool page_guard_take(int guard, struct watchpoint_hit *hit)
{
    struct guard *g = &guards[guard - 1];

    if (g->taken < g->hits) {
        *hit = g->hit[g->taken++];
        return true;
    }
    g->taken = g->hits = 0;
    return false;
}

/* A byte that is loaded twice may be waited for. */
static void note_polls(struct guard *g, struct watchpoint_hit *new)
{
    for (struct watchpoint_hit *h = g->hit; h < g->hit + g->hits; h++)
        for (int i = 0; i < h->bytes; i++)
            if (!h->is_store && !new->is_store && h->byte[i] == new->byte[0])
                h->may_poll = new->may_poll = true;
}

/* The same instruction may do so with several bytes. */
static void keep_hit(struct guard *g, struct watchpoint_hit *new)
{
    struct watchpoint_hit *h = g->hit, *end = g->hit + g->hits;

    note_polls(g, new);
    while (h < end && (h->at != new->at || h->is_store != new->is_store))
        h++;
    if (h == end && g->hits == HITS)
        return;
    if (h == end) {
        g->hits++;
        *h = *new;
    } else {
        for (int i = 0; i < h->bytes; i++)
            if (h->byte[i] == new->byte[0])
                return;
        h->is_atomic |= new->is_atomic;
        h->may_poll |= new->may_poll;
        if (h->bytes < WATCHPOINT_BYTES)
            h->byte[h->bytes++] = new->byte[0];
    }
    watchpoint_was_hit = true;
}

void page_guard_touched(uintptr_t address, const struct watchpoint_hit *hit)
{
    for (struct guard *g = guards; g < guards + GUARDS; g++) {
        struct watchpoint_hit new = *hit;

        if (!g->is_used || (g->kind == WATCH_STORES && !hit->is_store))
            continue;
        for (int i = 0; i < g->ranges; i++) {
            if (address < g->range[i].low || address >= g->range[i].high)
                continue;
            new.bytes = 1;
            new.byte[0] = (int64_t)(address - g->range[0].low);
            keep_hit(g, &new);
            break;
        }
    }
}

void page_guard_loops(const void *at)
{
    for (struct guard *g = guards; g < guards + GUARDS; g++)
        for (int i = 0; g->is_used && i < g->hits; i++)
            g->hit[i].may_poll |= g->hit[i].at == at && !g->hit[i].is_store;
}

static void find_pages(void)
{
    guarded_pages_forget();
    page_guard_is_wanted = false;
    for (struct guard *g = guards; g < guards + GUARDS; g++) {
        if (!g->is_used || g->raises == 0)
            continue;
        page_guard_is_wanted = true;
        for (int i = 0; i < g->ranges; i++)
            guarded_pages_add(g->range[i].low, g->range[i].high, g->kind == WATCH_STORES);
    }
    guarded_pages_join();
    is_changed = false;
}

void page_guard_raise(const void *site)
{
    if (!process.is_up || thread_check_is_shared())
        return;
    for (struct guard *g = guards; g < guards + GUARDS; g++)
        is_changed |= g->is_used && g->raises > 0 && --g->raises == 0;
    if (is_changed)
        find_pages();
    if (page_guard_is_wanted)
        guarded_pages_raise((uintptr_t)site);
}

void page_guard_lower(void)
{
    guarded_pages_lower();
}

#else

void page_guard_open(void)
{
}

bool page_guard_is_left(void)
{
    return false;
}

int page_guard_set(const void *address, size_t length, enum watchpoint_kind kind)
{
    (void)address, (void)length, (void)kind;
    return 0;
}

void page_guard_add(int guard, const void *address, size_t length)
{
    (void)guard, (void)address, (void)length;
}

void page_guard_clear(int guard)
{
    (void)guard;
}

bool page_guard_take(int guard, struct watchpoint_hit *hit)
{
    (void)guard, (void)hit;
    return false;
}

void page_guard_raise(const void *site)
{
    (void)site;
}

void page_guard_lower(void)
{
}

#endif
