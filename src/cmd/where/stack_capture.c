#include "cmd/where/stack.h"
#include "plain/clock.h"

#include <elf.h>
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>

enum {
    BUSY_MS = 500
};

/* A thread that has not stopped in time. It is let go once it has, at the latest when this process ends. */
static pid_t slow;

/* Lets a stopped thread go on, with the signal that it was about to get. */
static void untrace(pid_t tid, int status)
{
    int signal = status >> 16 == PTRACE_EVENT_STOP ? 0 : WSTOPSIG(status);

    ptrace(PTRACE_DETACH, tid, NULL, (void *)(intptr_t)signal);
}

static void let_slow_go(void)
{
    int status;
    pid_t got = slow ? waitpid(slow, &status, __WALL | WNOHANG) : 0;

    if (got > 0 && WIFSTOPPED(status))
        untrace(slow, status);
    if (got)
        slow = 0;
}

/* Waits until the thread has stopped, which it does when it next has a core. False: it has not, or it is gone. */
static bool await_stop(pid_t tid, int *status)
{
    uint64_t end = clock_ns() + STACK_WAIT_MS * UINT64_C(1000000);
    const struct timespec most = {0, 10 * 1000 * 1000};
    sigset_t child;
    pid_t got;

    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    sigprocmask(SIG_BLOCK, &child, NULL); /* it only ends sigtimedwait */
    while ((got = waitpid(tid, status, __WALL | WNOHANG)) == 0 && clock_ns() < end)
        sigtimedwait(&child, NULL, &most);
    if (got == 0)
        slow = tid;
    return got == tid && WIFSTOPPED(*status);
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

/* The note counts if the wait that it is of goes on: its number is on the stack in use. */
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
    copy->has_wait = number && copied_half(copy, wait + w->of_wait.noted) == number;
}

static bool copy_stopped(const struct traced *t, pid_t tid, struct stack_copy *copy)
{
    struct user_regs_struct registers;
    struct iovec to = {&registers, sizeof registers};
    uint64_t pointer;

    if (ptrace(PTRACE_GETREGSET, tid, (void *)(uintptr_t)NT_PRSTATUS, &to) < 0)
        return false;
    pointer = read_pointer(tid, take_registers(&registers, copy));
    copy->bytes = traced_read_some(t, copy->sp, copy->stack, sizeof copy->stack);
    copy_note(t, pointer, copy);
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

bool stack_capture(const struct traced *t, pid_t tid, struct stack_copy *copy, bool *refused)
{
    bool is_copied = false;
    uint64_t begin;
    int status;

    let_slow_go();
    copy->bytes = 0;
    *refused = false;
    if (slow)
        return false;
    if (!seize(t, tid)) {
        *refused = errno == EPERM || errno == EACCES;
        return false;
    }
    if (ptrace(PTRACE_INTERRUPT, tid, NULL, NULL) == 0 && await_stop(tid, &status)) {
        begin = clock_ns();
        is_copied = copy_stopped(t, tid, copy);
        untrace(tid, status);
        copy->stopped_ms = (double)(clock_ns() - begin) / 1e6;
    }
    return is_copied;
}
