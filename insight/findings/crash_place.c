#include "insight/findings/finding.h"

#include "insight/board/board.h"
#include "insight/board/process_record.h"

#include <dlfcn.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>
#include <unwind.h>

static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

/* Of these libraries no place is the program's. */
static const char *const foreign[] = {"/libc.so", "/libc-",     "/ld-linux", "/ld-musl",
                                      "libmpi",   "libinkling", "libpthread"};

static void *interrupted_at(const ucontext_t *context)
{
#if defined __x86_64__
    return (void *)context->uc_mcontext.gregs[REG_RIP];
#elif defined __aarch64__
    return (void *)context->uc_mcontext.pc;
#else
    (void)context;
    return NULL;
#endif
}

static bool is_of_program(const void *address)
{
    Dl_info info;

    if (!address || !dladdr(address, &info) || !info.dli_fname)
        return false;
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++)
        if (strstr(info.dli_fname, foreign[i]))
            return false;
    return true;
}

static _Unwind_Reason_Code look_for_program(struct _Unwind_Context *context, void *of)
{
    void **found = of;
    int is_interrupted = 0;
    void *at = (void *)_Unwind_GetIPInfo(context, &is_interrupted);

    if (!is_of_program(at))
        return _URC_NO_REASON;
    *found = is_interrupted ? (char *)at + 1 : at;
    return _URC_END_OF_STACK;
}

static void note_crash(int number, const ucontext_t *context)
{
    struct last_words *last = &board->rank[process.rank % BOARD_RANKS].last;
    char *at = interrupted_at(context);
    void *found = is_of_program(at) ? at + 1 : NULL; /* as behind a call: finding_place */

    if (!found)
        _Unwind_Backtrace(look_for_program, &found);
    last->crash = finding_place(found);
    atomic_store_explicit(&last->signal, number, memory_order_release);
}

/* Came by itself, not of kill or abort: the instruction that is made again raises it anew. */
static bool comes_again(const siginfo_t *info)
{
    return info->si_code > 0 && info->si_signo != SIGABRT;
}

static void on_crash(int number, siginfo_t *info, void *context)
{
    struct sigaction usual = {.sa_handler = SIG_DFL};

    if (process.pid == getpid() && board)
        note_crash(number, context);
    sigaction(number, &usual, NULL);
    if (!comes_again(info))
        raise(number); /* when the handler returns */
}

bool crash_place_handles(const struct sigaction *action)
{
    return action->sa_flags & SA_SIGINFO && action->sa_sigaction == on_crash;
}

bool crash_place_has_stack(void)
{
    static char alternate[CRASH_STACK];
    stack_t now, mine = {.ss_sp = alternate, .ss_size = sizeof alternate};

    if (sigaltstack(NULL, &now))
        return false;
    return now.ss_flags & SS_DISABLE ? sigaltstack(&mine, NULL) == 0 : now.ss_size >= CRASH_STACK / 4;
}

void crash_place_open(void)
{
    struct sigaction mine = {.sa_sigaction = on_crash, .sa_flags = SA_SIGINFO | SA_ONSTACK}, now;

    if (!crash_place_has_stack())
        return;
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        if (sigaction(signals[i], NULL, &now) == 0 && !(now.sa_flags & SA_SIGINFO) &&
            now.sa_handler == SIG_DFL)
            sigaction(signals[i], &mine, NULL);
}
