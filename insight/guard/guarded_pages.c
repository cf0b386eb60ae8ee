#include "insight/guard/page_guard.h"

#include "insight/board/process_record.h"
#include "insight/findings/finding.h"

#if defined __x86_64__ && defined __linux__

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

enum {
    AREAS = 256,
    BUDGET_US = 1500000, /* of time that a process spends on steps */
    /* Of these on pages that are not the stack's, where programs compute: so much, and this part of the time of the program. */
    DATA_US = 8000,
    DATA_SHARE = 32,
    AT_ONCE_US = 250000, /* ... between two calls; half as much after each time that it was not enough */
    TRAP_FLAG = 0x100,
    IS_STORE = 2, /* of a page fault's error code */
    IS_FETCH = 16,
    SYSCALL = 2, /* bytes of the instruction */
    RESTORER = 16,
    WORDS = 1024, /* of the stack that are looked at, */
    AT_A_TIME = 64,
    DISPATCH = 59 /* PR_SET_SYSCALL_USER_DISPATCH, which older headers do not have */
};

enum phase {
    DOWN,
    RISING,
    UP
};

static struct area {
    uintptr_t low, high;
    int protection;
    bool is_open;
} areas[AREAS];
static int area_count;

static volatile enum phase phase;
static volatile char selector; /* 1: system calls are stopped */
static volatile bool is_stepping;
static volatile uintptr_t forbidden;      /* where the program goes on; 0: its code is open */
static volatile uintptr_t forbidden_page; /* the last */
static int64_t left = BUDGET_US, at_once = AT_ONCE_US, left_now,
               stepped_at; /* stepped_at: 0: a system call */
static int64_t data_spent;
static void *noted;     /* where the access that is being stepped over was noted */
static bool is_on_data; /* the step that is being taken */
static bool is_off;
static uintptr_t
    returned_to; /* where the last call of MPI has: no frame returns there, but the checks leave it on the stack */
static sigset_t waiting, program_mask, mask_with_waiting; /* waiting: signals that have handlers */
static bool has_handlers;
static struct sigaction before_fault, before_step, before_call;
static __thread bool is_guarded __attribute__((tls_model("initial-exec")));

/* False: it is gone. */
static bool set_protection(struct area *a, bool is_open)
{
    bool is_there = a->is_open == is_open || !mprotect((void *)a->low, a->high - a->low,
                                                       is_open ? PROT_READ | PROT_WRITE : a->protection);

    is_off = is_off || !is_there;
    a->is_open = is_open;
    return is_there;
}

static void protect(bool is_open)
{
    for (int i = 0; i < area_count; i++)
        set_protection(&areas[i], is_open);
}

/* NULL: it is none of ours. */
static struct area *find_area(uintptr_t address)
{
    for (int i = 0; i < area_count; i++)
        if (address >= areas[i].low && address < areas[i].high)
            return &areas[i];
    return NULL;
}

static bool forbid(uintptr_t site)
{
    forbidden_page = site / PAGE;
    if (mprotect((void *)(site / PAGE * PAGE), PAGE, PROT_READ))
        return false;
    forbidden = site;
    return true;
}

static void permit(void)
{
    if (forbidden && mprotect((void *)(forbidden / PAGE * PAGE), PAGE, PROT_READ | PROT_EXEC))
        is_off = true;
    forbidden = 0;
}

/* The kernel looks at the first word. */
static void set_mask(ucontext_t *context, const sigset_t *mask)
{
    if (has_handlers)
        memcpy(&context->uc_sigmask, mask, sizeof(uint64_t));
}

static int64_t now_us(void)
{
    struct timespec now;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

static void step_once(ucontext_t *context)
{
    is_stepping = true;
    context->uc_mcontext.gregs[REG_EFL] |= TRAP_FLAG;
}

static void end_guarding(ucontext_t *context)
{
    phase = DOWN;
    page_guard_is_up = false;
    set_mask(context, &program_mask);
}

/* XCHG with memory, or what has the LOCK prefix. */
static bool locks_memory(const unsigned char *at)
{
    if (*at == 0x66)
        at++;
    if (*at == 0xf0)
        return true;
    if ((*at & 0xf0) == 0x40)
        at++;
    return (*at & 0xfe) == 0x86;
}

/* Behind a call. */
static bool is_return_address(uintptr_t address)
{
    const unsigned char *end = (const unsigned char *)address;

    return guard_memory_is_program(address) && guard_memory_is_program(address - 7) &&
           (end[-5] == 0xe8 || end[-2] == 0xff || end[-3] == 0xff || end[-6] == 0xff || end[-7] == 0xff);
}

/* Copies words of the stack. The kernel reads them, if it may: watchpoints of the hardware (watchpoint.h) may lie on buffers there, and take what is
 * loaded here for what the program loads. Returns how many were copied. */
static int copy_of_stack(const uintptr_t *stack, uintptr_t *word)
{
    size_t bytes = AT_A_TIME * sizeof *word;
    ssize_t got = process_vm_readv(getpid(), &(struct iovec){word, bytes}, 1,
                                   &(struct iovec){(void *)(uintptr_t)stack, bytes}, 1, 0);
    int count = 0;

    if (got >= 0)
        return (int)((size_t)got / sizeof *word);
    for (; count < AT_A_TIME && guard_memory_is_stack((uintptr_t)(stack + count)); count++)
        word[count] = stack[count];
    return count;
}

/* Where the program is: functions of the C library stand for their caller. */
static uintptr_t program_place(const ucontext_t *context)
{
    uintptr_t at = (uintptr_t)context->uc_mcontext.gregs[REG_RIP], word[AT_A_TIME];
    const uintptr_t *stack = (const uintptr_t *)context->uc_mcontext.gregs[REG_RSP];
    int count = AT_A_TIME;

    if (guard_memory_is_program(at))
        return at + 1; /* as that of a call, the instruction behind it */
    protect(true);
    for (int done = 0; done < WORDS && count == AT_A_TIME; done += count) {
        count = copy_of_stack(stack + done, word);
        for (int i = 0; i < count; i++)
            if (word[i] != returned_to && is_return_address(word[i]))
                return word[i];
    }
    return 0;
}

/* What the C library loads may lie beside what it was given; what its first two arguments point to does not. */
static bool is_access_meant(const ucontext_t *context, uintptr_t address, bool is_store)
{
    uintptr_t at = (uintptr_t)context->uc_mcontext.gregs[REG_RIP];

    return is_store || guard_memory_is_program(at) || guard_memory_is_runtime(at) ||
           (uintptr_t)context->uc_mcontext.gregs[REG_RSI] == address ||
           (uintptr_t)context->uc_mcontext.gregs[REG_RDI] == address;
}

static void note(const ucontext_t *context, uintptr_t address)
{
    struct watchpoint_hit hit = {
        .is_store = context->uc_mcontext.gregs[REG_ERR] & IS_STORE,
        .is_atomic = locks_memory((const unsigned char *)context->uc_mcontext.gregs[REG_RIP])};

    if (!is_access_meant(context, address, hit.is_store))
        return;
    hit.at = (void *)program_place(context);
    noted = hit.is_store ? NULL : hit.at;
    if (hit.at)
        page_guard_touched(address, &hit);
}

/* The bytes of an instruction that compares registers, or moves one; 0: another. */
static int length_of_compare(const unsigned char *at)
{
    int prefix = (*at & 0xf0) == 0x40; /* REX */
    bool is_register = at[prefix + 1] >> 6 == 3;

    switch (at[prefix]) {
    case 0x84:
    case 0x85:
    case 0x89:
    case 0x39:
        return is_register ? prefix + 2 : 0;
    case 0x8b:
    case 0x3b: /* also with what lies in the frame */
        return is_register                                             ? prefix + 2
               : at[prefix + 1] >> 6 == 1 && (at[prefix + 1] & 7) == 5 ? prefix + 3
                                                                       : 0;
    case 0x83:
        return is_register ? prefix + 3 : 0;
    case 0x81:
        return is_register ? prefix + 6 : 0;
    case 0x3c:
        return prefix + 2;
    case 0x3d:
        return prefix + 5;
    case 0x0f: /* MOVZX, MOVSX */
        return (at[prefix + 1] & 0xf6) == 0xb6 && at[prefix + 2] >> 6 == 3 ? prefix + 3 : 0;
    default:
        return 0;
    }
}

/* A conditional jump back follows, but for instructions that compare what was loaded. */
static bool leads_back(const unsigned char *next)
{
    for (int i = 0, length; i < 4 && (length = length_of_compare(next)) > 0; i++)
        next += length;
    if ((*next & 0xf0) == 0x70)
        return next[1] & 0x80;
    return next[0] == 0x0f && (next[1] & 0xf0) == 0x80 && next[5] & 0x80;
}

/* The program computes on pages beside what is watched. */
static bool data_is_dear(void)
{
    return data_spent > DATA_US + now_us() / DATA_SHARE;
}

/* The page is open. */
static void take_step(ucontext_t *context, uintptr_t address)
{
    if (phase == UP)
        note(context, address);
    is_on_data = !guard_memory_is_stack(address);
    is_off = is_off || (is_on_data && data_is_dear());
    if (!is_off && left > 0 && left_now > 0) {
        stepped_at = is_stepping ? stepped_at : now_us(); /* one instruction may need several areas */
        step_once(context);
        return;
    }
    at_once /= 2;
    protect(true);
    end_guarding(context);
}

/* Of a step, or of raising guards. */
static void count_time(void)
{
    int64_t spent = stepped_at ? now_us() - stepped_at : 0;

    left -= spent;
    left_now -= spent;
    data_spent += is_on_data ? spent : 0;
    stepped_at = 0;
}

static void rise(void)
{
    stepped_at = now_us();
    permit();
    protect(false);
    count_time();
    phase = UP;
    selector = 1;
}

/* A function that the program defines in place of the C library's, beside the place where it is to go on: called by the checks on their
 * way back, or by the thread of hang.c. */
static bool is_called_early(const ucontext_t *context, uintptr_t address)
{
    return context->uc_mcontext.gregs[REG_ERR] & IS_FETCH && address / PAGE == forbidden_page;
}

static void on_fault(int number, siginfo_t *info, void *of)
{
    struct area *area = find_area((uintptr_t)info->si_addr);
    int error = errno;

    (void)number;
    if (is_guarded && forbidden && (uintptr_t)info->si_addr == forbidden) {
        rise();
        errno = error;
        return;
    }
    if (is_called_early(of, (uintptr_t)info->si_addr)) {
        if (is_guarded) {
            permit();
            end_guarding(of);
        } /* else it comes again until the page is open */
        errno = error;
        return;
    }
    if (is_guarded)
        selector = 0;
    if (area)
        area->is_open = false;                  /* whatever another thread has made of it */
    if (!area || !set_protection(area, true)) { /* the program's own: comes again when this returns */
        protect(true);
        if (is_guarded)
            end_guarding(of);
        is_off = true;
        sigaction(SIGSEGV, &before_fault, NULL);
    } else if (is_guarded && phase != DOWN) {
        take_step(of, (uintptr_t)info->si_addr);
    }
    errno = error;
}

static void on_step(int number, siginfo_t *info, void *of)
{
    ucontext_t *context = of;
    int error = errno;

    (void)info;
    if (!is_stepping) {
        sigaction(number, &before_step, NULL);
        raise(number);
        return;
    }
    is_stepping = false;
    selector = 0;
    if (noted && guard_memory_is_program((uintptr_t)context->uc_mcontext.gregs[REG_RIP]) &&
        leads_back((const unsigned char *)context->uc_mcontext.gregs[REG_RIP]))
        page_guard_loops(noted);
    noted = NULL;
    context->uc_mcontext.gregs[REG_EFL] &= ~(greg_t)TRAP_FLAG;
    if (phase != DOWN) {
        protect(false);
        if (phase == UP)
            set_mask(context, &mask_with_waiting);
    }
    count_time();
    errno = error;
    selector = phase == UP;
}

/* These neither change what memory there is, nor begin a thread or process, nor set handlers. */
static bool is_harmless(int call)
{
    static const int calls[] = {
        SYS_read,        SYS_write,     SYS_writev,     SYS_pread64,       SYS_pwrite64,       SYS_lseek,
        SYS_fstat,       SYS_ioctl,     SYS_poll,       SYS_nanosleep,     SYS_getpid,         SYS_brk,
        SYS_sched_yield, SYS_getrandom, SYS_newfstatat, SYS_clock_gettime, SYS_clock_nanosleep};

    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if (calls[i] == call)
            return true;
    return false;
}

/* A system call, which has not been made: it is made anew, with open pages. */
static void on_system_call(int number, siginfo_t *info, void *of)
{
    ucontext_t *context = of;
    int error = errno;

    (void)number;
    selector = 0;
    protect(true);
    context->uc_mcontext.gregs[REG_RIP] -= SYSCALL;
    set_mask(context, &program_mask);
    if (phase == UP && is_harmless(info->si_syscall))
        step_once(context);
    else
        end_guarding(context);
    errno = error;
}

/* The runtime library of Fortran handles all signals that end a program, to say where that was. */
static bool is_of_runtime(const struct sigaction *a)
{
    Dl_info info;

    return !(a->sa_flags & SA_SIGINFO) && dladdr((void *)(uintptr_t)a->sa_handler, &info) && info.dli_fname &&
           strstr(info.dli_fname, "/libgfortran");
}

static bool set_handler(int number, void (*handler)(int, siginfo_t *, void *), struct sigaction *before)
{
    struct sigaction mine = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_ONSTACK};

    sigfillset(&mine.sa_mask);
    return sigaction(number, NULL, before) == 0 &&
           (number == SIGSEGV || (!(before->sa_flags & SA_SIGINFO) && before->sa_handler == SIG_DFL) ||
            is_of_runtime(before)) &&
           sigaction(number, &mine, NULL) == 0;
}

/* What a handler returns to, which calls the kernel. */
static uintptr_t find_restorer(void)
{
    struct {
        void *handler;
        unsigned long flags;
        uintptr_t restorer;
        uint64_t mask;
    } kernels = {NULL, 0, 0, 0};

    return syscall(SYS_rt_sigaction, SIGSEGV, NULL, &kernels, sizeof kernels.mask) == 0 ? kernels.restorer
                                                                                        : 0;
}

/* Those that the program handles: their frame would go onto a stack that may be protected. */
static void find_handlers(void)
{
    static const int own[] = {SIGSEGV, SIGTRAP, SIGSYS, SIGBUS, SIGFPE, SIGILL};
    struct sigaction now;

    sigemptyset(&waiting);
    has_handlers = false;
    for (int i = 1; i < 65; i++)
        if (sigaction(i, NULL, &now) == 0 && now.sa_handler != SIG_DFL && now.sa_handler != SIG_IGN &&
            !crash_place_handles(&now)) {
            sigaddset(&waiting, i);
            has_handlers = true;
        }
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        sigdelset(&waiting, own[i]);
}

/* Valgrind's own system calls are taken for the program's. */
bool guarded_pages_exist(void)
{
    return !watchpoint_is_under_valgrind() && prctl(DISPATCH, 0, 0, 0, 0) == 0;
}

bool guarded_pages_open(void)
{
    uintptr_t restorer;
    sigset_t blocked;

    if (pthread_sigmask(SIG_SETMASK, NULL, &blocked) || sigismember(&blocked, SIGSEGV) ||
        sigismember(&blocked, SIGTRAP) || sigismember(&blocked, SIGSYS) || !crash_place_has_stack() ||
        !set_handler(SIGTRAP, on_step, &before_step) || !set_handler(SIGSYS, on_system_call, &before_call) ||
        !set_handler(SIGSEGV, on_fault, &before_fault))
        return false;
    restorer = find_restorer();
    if (!restorer || prctl(DISPATCH, 1, restorer, RESTORER, &selector))
        return false;
    guard_memory_read();
    is_guarded = true;
    return true;
}

void guarded_pages_forget(void)
{
    area_count = 0;
}

void guarded_pages_add(uintptr_t low, uintptr_t high, bool may_be_read)
{
    low = low / PAGE * PAGE;
    for (; low < high; low += PAGE) {
        struct area *a = areas, *end = areas + area_count;

        while (a < end && a->low != low)
            a++;
        if (a == end && area_count == AREAS)
            return;
        if (a == end) {
            area_count++;
            *a = (struct area){low, low + PAGE, PROT_READ, true};
        }
        if (!may_be_read)
            a->protection = PROT_NONE;
    }
}

static int compare_areas(const void *a, const void *b)
{
    uintptr_t left_low = ((const struct area *)a)->low, right_low = ((const struct area *)b)->low;

    return (left_low > right_low) - (left_low < right_low);
}

void guarded_pages_join(void)
{
    int joined = 0;

    qsort(areas, (size_t)area_count, sizeof *areas, compare_areas);
    for (int i = 0; i < area_count; i++) {
        struct area *last = &areas[joined - 1];

        if (joined > 0 && last->high == areas[i].low && last->protection == areas[i].protection)
            last->high = areas[i].high;
        else
            areas[joined++] = areas[i];
    }
    area_count = joined;
}

/* Other threads, and handlers that have taken the place of ours, would not bear it. */
static bool is_alone(void)
{
    struct sigaction now;
    struct stat tasks;

    return is_guarded && stat("/proc/self/task", &tasks) == 0 &&
           tasks.st_nlink == (nlink_t)(2 + 1 + process.has_watchdog) && sigaction(SIGSEGV, NULL, &now) == 0 &&
           now.sa_flags & SA_SIGINFO && now.sa_sigaction == on_fault;
}

static void wait_with_signals(void)
{
    pthread_sigmask(SIG_BLOCK, &waiting, &program_mask);
    pthread_sigmask(SIG_BLOCK, NULL, &mask_with_waiting);
}

void guarded_pages_raise(uintptr_t site)
{
    if (is_off || left <= 0 || area_count == 0 || !is_alone())
        return;
    find_handlers();
    if (has_handlers)
        wait_with_signals();
    returned_to = site;
    left_now = at_once;
    page_guard_is_up = true;
    phase = RISING;
    if (!guard_memory_is_program(site) || !forbid(site))
        rise();
}

void guarded_pages_lower(void)
{
    phase = DOWN;
    selector = 0;
    page_guard_is_up = false;
    permit();
    protect(true);
    if (has_handlers)
        pthread_sigmask(SIG_SETMASK, &program_mask, NULL);
}

#endif
