#include "cmd/where/stack.h"

#include "plain/clock.h"

#if defined(__riscv)
#include <asm/ptrace.h>
#endif
#include <elf.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    BUSY_MS = 500,
    SLICE_NS = 100 * 1000 /* the shortest that the kernel takes */
};

/* Lets a stopped thread go on, with the signal that it was about to get. */
static void untrace(pid_t tid, int status)
{
    int signal = status >> 16 == PTRACE_EVENT_STOP ? 0 : WSTOPSIG(status);

    ptrace(PTRACE_DETACH, tid, NULL, (void *)(intptr_t)signal);
}

#if defined(__x86_64__)
/* Returns the thread pointer. */
static uint64_t take_registers(const struct user_regs_struct *r, struct stack_copy *copy)
{
    const uint64_t by_number[] = {r->rax, r->rdx, r->rcx, r->rbx, r->rsi, r->rdi, r->rbp, r->rsp, r->r8,
                                  r->r9,  r->r10, r->r11, r->r12, r->r13, r->r14, r->r15, r->rip};

    memcpy(copy->register_of, by_number, sizeof by_number);
    copy->sp = r->rsp;
    copy->pc = r->rip;
    return r->fs_base;
}
#elif defined(__aarch64__)
static uint64_t take_registers(const struct user_regs_struct *r, struct stack_copy *copy)
{
    memcpy(copy->register_of, r->regs, sizeof r->regs);
    copy->register_of[31] = copy->sp = r->sp;
    copy->pc = r->pc;
    return 0; /* see read_pointer */
}
#elif defined(__riscv)
/* The program counter, then x1 to x31. */
static uint64_t take_registers(const struct user_regs_struct *r, struct stack_copy *copy)
{
    memcpy(copy->register_of, r, 32 * sizeof r->pc);
    copy->register_of[0] = 0;
    copy->sp = r->sp;
    copy->pc = r->pc;
    return r->tp;
}
#endif

/* The thread pointer, where it is none of the general registers. */
static uint64_t read_pointer(pid_t tid, uint64_t pointer)
{
#ifdef NT_ARM_TLS
    struct iovec to = {&pointer, sizeof pointer};

    if (!pointer)
        ptrace(PTRACE_GETREGSET, tid, (void *)(uintptr_t)NT_ARM_TLS, &to);
#else
    (void)tid;
#endif
    return pointer;
}

/* A word of the copied stack; 0: it lies elsewhere. */
static uint32_t copied_half(const struct stack_copy *copy, uint64_t address)
{
    uint32_t half = 0;

    if (address >= copy->sp && address + sizeof half <= copy->sp + copy->bytes)
        memcpy(&half, copy->stack + (address - copy->sp), sizeof half);
    return half;
}

bool stack_waits(const struct traced *t, const struct stack_copy *copy, uint64_t wait, uint32_t number)
{
    return number && copied_half(copy, wait + t->table.of_wait.noted) == number;
}

static void copy_note(const struct traced *t, uint64_t pointer, struct stack_copy *copy)
{
    const struct where_table *w = &t->table;
    int64_t offset = (int64_t)traced_word(t, (uint64_t)(uintptr_t)w->awaited_offset);
    unsigned char note[128];
    uint64_t wait;
    uint32_t number;

    copy->has_wait = false;
    if (!offset || !pointer || w->of_awaited.size > sizeof note ||
        !traced_read(t, pointer + (uint64_t)offset, note, w->of_awaited.size))
        return;
    memcpy(&number, note + w->of_awaited.number, sizeof number);
    memcpy(&wait, note + w->of_awaited.wait, sizeof wait);
    memcpy(&copy->wait.kind, note + w->of_awaited.kind, sizeof copy->wait.kind);
    memcpy(&copy->wait.what, note + w->of_awaited.what, sizeof copy->wait.what);
    memcpy(&copy->wait.detail, note + w->of_awaited.detail, sizeof copy->wait.detail);
    memcpy(&copy->wait.since_ns, note + w->of_awaited.since_ns, sizeof copy->wait.since_ns);
    copy->has_wait = stack_waits(t, copy, wait, number);
}

static bool copy_stopped(const struct traced *t, pid_t tid, const struct script_thread *python,
                         struct stack_copy *copy)
{
    struct user_regs_struct registers;
    struct iovec to = {&registers, sizeof registers};
    uint64_t pointer;

    if (ptrace(PTRACE_GETREGSET, tid, (void *)(uintptr_t)NT_PRSTATUS, &to) < 0)
        return false;
    pointer = read_pointer(tid, take_registers(&registers, copy));
    copy->bytes = traced_read_some(t, copy->sp, copy->stack, sizeof copy->stack);
    copy_note(t, pointer, copy);
    script_copy_frame(t, python, &copy->python);
    return true;
}

/* Another inkling may look at it at the same moment. */
static bool seize(const struct traced *t, pid_t tid)
{
    const struct timespec moment = {0, 2 * 1000 * 1000};
    uint64_t end = clock_ns() + BUSY_MS * UINT64_C(1000000);

    while (ptrace(PTRACE_SEIZE, tid, NULL, NULL) < 0) {
        int error = errno;

        if (error != EPERM || clock_ns() > end || !traced_is_busy(t->pid, tid)) {
            errno = error;
            return false;
        }
        nanosleep(&moment, NULL);
    }
    return true;
}

/* The thread that traces. It does nothing else, and so little of that that it has a core as soon as it wants one, while the one that asks
 * has used cores to follow stacks: a stopped thread must not wait for a core that others have. */
static struct {
    pthread_mutex_t lock;   /* of all of it */
    pthread_cond_t changed; /* `state` has */
    enum {
        ABSENT,
        IDLE,
        ASKED,
        GIVEN_UP, /* who has asked waits no longer */
        ANSWERED
    } state;
    struct traced traced;
    struct script_thread python;
    pid_t tid;
    bool is_copied, is_refused;
    struct stack_copy copy;
} tracer = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* What sched_setattr(2) takes; its header cannot be included beside the C library's. */
struct scheduling {
    uint32_t size, policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t runtime, deadline, period;
};

/* Since Linux 6.12 who asks for shorter slices is served earlier. Elsewhere that changes nothing. */
static void take_short_slices(void)
{
    struct scheduling attr = {.size = sizeof attr};

    if (syscall(SYS_sched_getattr, 0, &attr, sizeof attr, 0) == 0) {
        attr.runtime = SLICE_NS;
        syscall(SYS_sched_setattr, 0, &attr, 0);
    }
}

static bool still_asked(void)
{
    bool wanted;

    pthread_mutex_lock(&tracer.lock);
    wanted = tracer.state == ASKED;
    pthread_mutex_unlock(&tracer.lock);
    return wanted;
}

/* Stops the thread, which happens when it next has a core, copies what is wanted, and lets it go on. */
static void capture(void)
{
    uint64_t begin;
    int status;

    tracer.is_copied = false;
    tracer.copy.bytes = 0;
    tracer.is_refused = !seize(&tracer.traced, tracer.tid) && (errno == EPERM || errno == EACCES);
    if (tracer.is_refused || ptrace(PTRACE_INTERRUPT, tracer.tid, NULL, NULL) < 0 ||
        waitpid(tracer.tid, &status, __WALL) != tracer.tid || !WIFSTOPPED(status))
        return;
    begin = clock_ns();
    if (still_asked())
        tracer.is_copied = copy_stopped(&tracer.traced, tracer.tid, &tracer.python, &tracer.copy);
    untrace(tracer.tid, status);
    tracer.copy.stopped_ms = (double)(clock_ns() - begin) / 1e6;
}

static void *trace(void *nothing)
{
    take_short_slices();
    pthread_mutex_lock(&tracer.lock);
    for (;;) {
        while (tracer.state != ASKED)
            pthread_cond_wait(&tracer.changed, &tracer.lock);
        pthread_mutex_unlock(&tracer.lock);
        capture();
        pthread_mutex_lock(&tracer.lock);
        tracer.state = tracer.state == ASKED ? ANSWERED : IDLE;
        pthread_cond_broadcast(&tracer.changed);
    }
    return nothing;
}

/* The lock is held. */
static bool start_tracer(void)
{
    pthread_condattr_t how;
    sigset_t all, before;
    pthread_t thread;
    bool is_started;

    if (tracer.state != ABSENT)
        return true;
    sigfillset(&all);
    pthread_condattr_init(&how);
    pthread_condattr_setclock(&how, CLOCK_MONOTONIC);
    pthread_cond_init(&tracer.changed, &how);
    pthread_condattr_destroy(&how);
    pthread_sigmask(SIG_BLOCK, &all, &before); /* signals are for others */
    is_started = pthread_create(&thread, NULL, trace, NULL) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (!is_started)
        return false;
    pthread_detach(thread);
    tracer.state = IDLE;
    return true;
}

/* The lock is held. False: it takes too long. */
static bool await_answer(void)
{
    struct timespec end;

    clock_gettime(CLOCK_MONOTONIC, &end);
    end.tv_sec += STACK_WAIT_MS / 1000;
    while (tracer.state == ASKED)
        if (pthread_cond_timedwait(&tracer.changed, &tracer.lock, &end) == ETIMEDOUT && tracer.state == ASKED)
            tracer.state = GIVEN_UP;
    return tracer.state == ANSWERED;
}

/* Without what is beyond the part of the stack that was copied. */
static void take_copy(struct stack_copy *copy)
{
    memcpy(copy, &tracer.copy, offsetof(struct stack_copy, stack) + tracer.copy.bytes);
}

bool stack_capture(const struct traced *t, pid_t tid, const struct script_thread *python,
                   struct stack_copy *copy, bool *refused)
{
    bool is_copied = false;

    *refused = false;
    copy->bytes = 0;
    if (t->is_told)
        return asked_capture(t, tid, python, copy);
    pthread_mutex_lock(&tracer.lock);
    if (start_tracer() && tracer.state == IDLE) { /* else it still waits for another one to stop */
        tracer.traced = *t;
        tracer.python = python ? *python : (struct script_thread){NULL, 0, 0};
        tracer.tid = tid;
        tracer.state = ASKED;
        pthread_cond_broadcast(&tracer.changed);
        if (await_answer()) {
            tracer.state = IDLE;
            is_copied = tracer.is_copied;
            *refused = tracer.is_refused;
            take_copy(copy);
        }
    }
    pthread_mutex_unlock(&tracer.lock);
    return is_copied;
}
