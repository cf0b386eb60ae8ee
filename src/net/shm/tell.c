#include "net/shm/tell.h"

#include "base/lock.h"
#include "plain/clock.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

/* An address that cannot be read must not end the process, so the kernel copies. */
static void copy_memory(struct tell *t, uint64_t address, uint64_t bytes)
{
    int fd = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
    ssize_t got = fd < 0 ? -1 : pread(fd, t->data, bytes < TELL_BYTES ? bytes : TELL_BYTES, (off_t)address);

    t->got = got > 0 ? (uint64_t)got : 0;
    if (fd >= 0)
        close(fd);
}

static void tell_registers(const ucontext_t *context, struct tell *t)
{
#if defined(__x86_64__)
    static const int number[] = {REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI,
                                 REG_RBP, REG_RSP, REG_R8,  REG_R9,  REG_R10, REG_R11,
                                 REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP};

    for (size_t i = 0; i < sizeof number / sizeof *number; i++)
        t->register_of[i] = (uint64_t)context->uc_mcontext.gregs[number[i]];
    t->sp = t->register_of[7];
    t->pc = t->register_of[16];
#elif defined(__aarch64__)
    memcpy(t->register_of, context->uc_mcontext.regs, sizeof context->uc_mcontext.regs);
    t->sp = t->register_of[31] = context->uc_mcontext.sp;
    t->pc = context->uc_mcontext.pc;
#elif defined(__riscv)
    memcpy(t->register_of, context->uc_mcontext.__gregs, sizeof context->uc_mcontext.__gregs);
    t->register_of[0] = 0; /* there is the program counter */
    t->sp = t->register_of[2];
    t->pc = context->uc_mcontext.__gregs[0];
#endif
}

/* The calls that led here. The frame of this function stays while the stack is copied, so they can be followed from it. */
__attribute__((noinline)) static void copy_stack(struct tell *t)
{
    ucontext_t context;

    getcontext(&context);
    tell_registers(&context, t);
    t->note = progress_awaited;
    copy_memory(t, t->sp, TELL_BYTES);
}

/* Whether the system leaves it to a user who may look at the user's processes. */
static bool may_tell(void)
{
    FILE *f = fopen("/proc/sys/kernel/yama/ptrace_scope", "re");
    int scope = 0;

    if (f && fscanf(f, "%d", &scope) != 1)
        scope = 0;
    if (f)
        fclose(f);
    return scope < 2;
}

static bool answer_asker(struct tell *t)
{
    /* acquire: pairs with the release of who has asked (cmd/where/asked.c), as does the release below */
    uint32_t number = atomic_load_explicit(&t->asked, memory_order_acquire);
    uint64_t address = t->address;

    if (number == atomic_load_explicit(&t->answered, memory_order_relaxed) || clock_ns() > t->until_ns ||
        !may_tell())
        return true;
    if (t->thread && t->thread != gettid())
        return false;
    if (address)
        copy_memory(t, address, t->bytes);
    else
        copy_stack(t);
    atomic_store_explicit(&t->answered, number, memory_order_release);
    return true;
}

/* Threads look in several lanes. */
static bool answer_alone(struct tell *t)
{
    static struct lock answering = LOCK_INIT;
    bool is_over;

    lock_take(&answering);
    is_over = answer_asker(t);
    lock_release(&answering);
    return is_over;
}

bool tell_answer(int fd, uint64_t place)
{
    void *at =
        place ? mmap(NULL, tell_size(), PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)place) : MAP_FAILED;
    bool is_over = at == MAP_FAILED || answer_alone(at);

    if (at != MAP_FAILED)
        munmap(at, tell_size());
    return is_over;
}
