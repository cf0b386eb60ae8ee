#include "insight/guard/watchpoint.h"

#include "insight/call/intercept.h"
#include "insight/guard/page_guard.h"

#include <stdint.h>

volatile bool watchpoint_was_hit;

#if defined __x86_64__ && defined __linux__

#include <dlfcn.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

enum {
    POINTS = 4,
    BUDGET = 128,  /* that a process sets: each costs system calls */
    HITS = 256,    /* of one, until it is cleared */
    CODE = 6,      /* TRAP_PERF, which older headers do not have */
    INT1 = 0xf1,   /* the whole instruction */
    GUARD = POINTS /* before the number of a guard */
};

/* Written by the thread that is watched, in its signal handler; others look only at whether there was a hit. */
static struct point {
    const void *address; /* NULL: free */
    int event, stores;   /* perf events; stores: counts them, -1: none */
    uint64_t counted;
    int hits;
    bool is_atomic;
    void *at[2], *caller[2]; /* the first load, and the first store, since they were taken */
} points[POINTS];

static int used, left = BUDGET;
static struct sigaction before;

static int open_event(const void *address, size_t length, bool is_rw, bool signals)
{
    struct perf_event_attr a = {.type = PERF_TYPE_BREAKPOINT,
                                .size = sizeof a,
                                .bp_type = is_rw ? HW_BREAKPOINT_RW : HW_BREAKPOINT_W,
                                .bp_addr = (uintptr_t)address,
                                .bp_len = length,
                                .sample_period = signals,
                                .exclude_kernel = 1,
                                .exclude_hv = 1,
                                .remove_on_exec = signals,
                                .sigtrap = signals};

    return (int)syscall(SYS_perf_event_open, &a, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

bool watchpoint_is_under_valgrind(void)
{
    const char *preload = getenv("LD_PRELOAD");

    return preload && strstr(preload, "/vgpreload_");
}

/* Some virtual machines lend watchpoints that nothing ever hits. Valgrind takes a hit for a signal between two instructions of the program's,
 * and goes on with registers as they were before: what it then writes goes anywhere. */
static bool are_hit(void)
{
    static volatile uint64_t word;
    static int known; /* 1: they are, -1: they are not */
    uint64_t count = 0;
    int event;

    if (known)
        return known > 0;
    event =
        watchpoint_is_under_valgrind() ? -1 : open_event((void *)(uintptr_t)&word, sizeof word, false, false);
    word = 1;
    known = event >= 0 && read(event, &count, sizeof count) == sizeof count && count > 0 ? 1 : -1;
    if (event >= 0)
        close(event);
    return known > 0;
}

static bool has_stored(struct point *p)
{
    uint64_t count = p->counted;
    bool has;

    if (p->stores < 0)
        return true;
    if (read(p->stores, &count, sizeof count) != sizeof count)
        return false;
    has = count != p->counted;
    p->counted = count;
    return has;
}

/* Where the instruction ends whose operand bytes begin here. */
static const unsigned char *end_of_operand(const unsigned char *modrm)
{
    int mod = *modrm >> 6, rm = *modrm & 7;
    const unsigned char *end = modrm + 1;

    if (mod != 3 && rm == 4) {
        if (mod == 0 && (*end & 7) == 5)
            mod = 2;
        end++;
    }
    if (mod == 1)
        return end + 1;
    return mod == 2 || (mod == 0 && rm == 5) ? end + 4 : end;
}

/* Operations that may have the LOCK prefix, of one byte and behind 0x0f. */
static bool may_lock(unsigned char operation, bool is_extended)
{
    static const char plain[] = {0x00, 0x08,       0x10,       0x18,       0x20,       0x28,
                                 0x30, (char)0x80, (char)0x82, (char)0x86, (char)0xf6, (char)0xfe},
                      extended[] = {(char)0xaa, (char)0xb0, (char)0xb2, (char)0xba, (char)0xc0, (char)0xc6};

    return is_extended ? memchr(extended, operation & 0xfe, sizeof extended) != NULL
                       : memchr(plain, operation & 0xfe, sizeof plain) != NULL;
}

/* XCHG with memory, which locks by itself, or what has the LOCK prefix. An immediate is of one byte or four. */
static bool is_locking(const unsigned char *at, const unsigned char *next)
{
    bool has_lock = *at == 0xf0, is_extended;
    const unsigned char *end;

    at += has_lock;
    at += (*at & 0xf0) == 0x40; /* REX */
    is_extended = *at == 0x0f;
    at += is_extended;
    if (at + 1 >= next || at[1] >> 6 == 3)
        return false;
    if (has_lock ? !may_lock(*at, is_extended) : is_extended || (*at & 0xfe) != 0x86)
        return false;
    end = end_of_operand(at + 1);
    return end == next || (has_lock && (end + 1 == next || end + 4 == next));
}

/* The bytes before the next instruction tell, but for few that look alike. */
static bool ends_atomic(const unsigned char *next)
{
    for (int length = 2; length <= 13; length++)
        if (is_locking(next - length, next))
            return true;
    return false;
}

static void note_hit(struct point *p, const ucontext_t *context)
{
    bool is_store = has_stored(p); /* also of MPI: the next is counted from there */

    if (++p->hits == HITS)
        ioctl(p->event, PERF_EVENT_IOC_DISABLE, 0);
    if (intercept_is_inside())
        return;
    p->is_atomic |= ends_atomic((const unsigned char *)context->uc_mcontext.gregs[REG_RIP]);
    if (p->at[is_store])
        return;
    p->at[is_store] = (void *)context->uc_mcontext.gregs[REG_RIP];
    p->caller[is_store] = *(void **)context->uc_mcontext.gregs[REG_RSP];
    watchpoint_was_hit = true;
}

/* A trap of the program's own. */
static void pass_trap_on(int number, siginfo_t *info, void *context)
{
    if (before.sa_flags & SA_SIGINFO) {
        before.sa_sigaction(number, info, context);
    } else if (before.sa_handler == SIG_DFL) {
        sigaction(number, &before, NULL);
        raise(number); /* comes when the handler returns, and ends the process */
    } else if (before.sa_handler != SIG_IGN) {
        before.sa_handler(number);
    }
}

/* Some virtual machines lose, at times, why a watchpoint stopped the thread. The kernel takes it for the instruction INT1 then, and tells no
 * address. */
static bool is_lost_hit(const siginfo_t *info, const ucontext_t *context)
{
    const unsigned char *next = (const unsigned char *)context->uc_mcontext.gregs[REG_RIP];

    return info->si_code == TRAP_BRKPT && used > 0 && next[-1] != INT1;
}

static void on_trap(int number, siginfo_t *info, void *context)
{
    if (is_lost_hit(info, context))
        return;
    if (info->si_code != CODE) {
        pass_trap_on(number, info, context);
        return;
    }
    for (int i = 0; i < POINTS; i++)
        if (points[i].address && points[i].address == info->si_addr)
            note_hit(&points[i], context);
}

/* The program may have a handler of its own, or block the signal: then a hit would end it. */
static bool handles_traps(void)
{
    struct sigaction now, mine = {.sa_sigaction = on_trap, .sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK};
    sigset_t blocked;

    if (pthread_sigmask(SIG_SETMASK, NULL, &blocked) || sigismember(&blocked, SIGTRAP) ||
        sigaction(SIGTRAP, NULL, &now))
        return false;
    if (now.sa_flags & SA_SIGINFO && now.sa_sigaction == on_trap)
        return true;
    before = now;
    return left == BUDGET && sigaction(SIGTRAP, &mine, NULL) == 0;
}

static size_t aligned_length(const void *address, size_t length)
{
    size_t n = sizeof(uint64_t);

    while (n > length || (uintptr_t)address % n != 0)
        n /= 2;
    return n;
}

bool watchpoint_is_left(void)
{
    return page_guard_is_left() || (left > 0 && used < POINTS);
}

int watchpoint_set(const void *address, size_t length, enum watchpoint_kind kind)
{
    int need = kind == WATCH_LOADS_AND_STORES ? 2 : 1, i = 0, guard = page_guard_set(address, length, kind);
    struct point p = {.address = address, .stores = -1};

    if (guard)
        return GUARD + guard;
    if (!are_hit())
        left = 0; /* nobody need ask again */
    if (left == 0 || used + need > POINTS || !address || length == 0 || !handles_traps())
        return 0;
    left--;
    length = aligned_length(address, length);
    while (points[i].address)
        i++;
    if (need == 2 && (p.stores = open_event(address, length, false, false)) < 0)
        return 0;
    points[i] = p; /* before the event, which may be hit at once */
    points[i].event = open_event(address, length, kind != WATCH_STORES, true);
    if (points[i].event < 0) {
        left = 0; /* there are none, or others use them */
        points[i].address = NULL;
        if (p.stores >= 0)
            close(p.stores);
        return 0;
    }
    used += need;
    return i + 1;
}

bool watchpoint_has_all(int watchpoint)
{
    return watchpoint > GUARD;
}

void watchpoint_add(int watchpoint, const void *address, size_t length)
{
    if (watchpoint > GUARD)
        page_guard_add(watchpoint - GUARD, address, length);
}

void watchpoint_clear(int watchpoint)
{
    struct point *p;

    if (watchpoint > GUARD) {
        page_guard_clear(watchpoint - GUARD);
        return;
    }
    if (watchpoint == 0)
        return;
    p = &points[watchpoint - 1];
    close(p->event);
    if (p->stores >= 0)
        close(p->stores);
    used -= p->stores >= 0 ? 2 : 1;
    p->address = NULL;
}

/* A function of the C library that has no frame yet, such as memcpy, stands for its caller. */
static void *place_of(void *at, void *caller)
{
    Dl_info here, library;

    return dladdr(at, &here) && dladdr((void *)(uintptr_t)memcpy, &library) &&
                   here.dli_fbase == library.dli_fbase
               ? caller
               : at;
}

bool watchpoint_take(int watchpoint, struct watchpoint_hit *hit)
{
    if (watchpoint > GUARD)
        return page_guard_take(watchpoint - GUARD, hit);
    if (watchpoint == 0)
        return false;
    for (int is_store = 0; is_store < 2; is_store++) {
        struct point *p = &points[watchpoint - 1];

        if (!p->at[is_store])
            continue;
        *hit = (struct watchpoint_hit){.at = place_of(p->at[is_store], p->caller[is_store]),
                                       .is_store = is_store,
                                       .may_poll = !is_store,
                                       .is_atomic = p->is_atomic,
                                       .bytes = 1};
        p->at[is_store] = NULL;
        return true;
    }
    return false;
}

#else

bool watchpoint_has_all(int watchpoint)
{
    (void)watchpoint;
    return false;
}

bool watchpoint_is_left(void)
{
    return false;
}

int watchpoint_set(const void *address, size_t length, enum watchpoint_kind kind)
{
    (void)address, (void)length, (void)kind;
    return 0;
}

void watchpoint_add(int watchpoint, const void *address, size_t length)
{
    (void)watchpoint, (void)address, (void)length;
}

void watchpoint_clear(int watchpoint)
{
    (void)watchpoint;
}

bool watchpoint_take(int watchpoint, struct watchpoint_hit *hit)
{
    (void)watchpoint, (void)hit;
    return false;
}

#endif
