#include "base/last_flush.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

/* Writes what a Python program holds of its output. Its sys.stdout has a buffer that no other runtime knows.
 *
 * Functions of the Python library are found by their names in the process; where there are none, nothing is done. A thread that is
 * inside of Python, which holds the interpreter's lock, is asked to flush when it is between two instructions of Python.
 */

static const char script[] = "import sys\n"
                             "for stream in sys.stdout, sys.stderr:\n"
                             "    try:\n"
                             "        stream.flush()\n"
                             "    except Exception:\n"
                             "        pass\n";

/* The interpreter's functions, with the types of its stable interface; NULL: there is no Python. */
static int (*is_initialized)(void);
static int (*has_lock)(void);
static int (*take_lock)(void);
static void (*release_lock)(int state);
static int (*run_script)(const char *text, void *flags);
static int (*add_pending_call)(int (*call)(void *), void *argument);

static void find(const char *name, void *function)
{
    void *found = dlsym(RTLD_DEFAULT, name);

    memcpy(function, &found, sizeof found);
}

/* Looks for the library; not in a signal handler. */
static void python_flush_find(void)
{
    find("Py_IsInitialized", &is_initialized);
    find("PyGILState_Check", &has_lock);
    find("PyGILState_Ensure", &take_lock);
    find("PyGILState_Release", &release_lock);
    find("PyRun_SimpleStringFlags", &run_script);
    find("Py_AddPendingCall", &add_pending_call);
}

static bool is_there(void)
{
    return is_initialized && has_lock && take_lock && release_lock && run_script && add_pending_call &&
           is_initialized();
}

/* Whether this thread is inside of Python. */
static bool python_is_running(void)
{
    return is_there() && has_lock();
}

/* Takes the interpreter's lock, which may have to be waited for. */
static void python_flush(void)
{
    int state;

    if (!is_there())
        return;
    state = take_lock();
    run_script(script, NULL);
    release_lock(state);
}

/* Has the interpreter call a function soon, in its main thread. Safe in a signal handler. False: it cannot. */
static bool python_call_soon(int (*call)(void *unused))
{
    return is_there() && add_pending_call(call, NULL) == 0;
}

typedef void flush_unit_fn(int *unit);       /* libgfortran's; NULL: all units */
typedef void *flush_stream_fn(void *stream); /* std::ostream::flush of libstdc++ */

enum {
    REGIONS = 16,
    RETRY_MS = 1,
    RETRIES = 150,
    LIMIT_MS = 300, /* for the flush; mpiexec kills after 400 ms */
    FORTRAN_OUTPUT = 6
};

/* Written by last_flush_prepare, before the handler is installed. */
static struct runtime_text {
    uintptr_t begin, end;
} runtimes[REGIONS];
static int regions;
static pid_t owner;
static flush_unit_fn *flush_unit;
static flush_stream_fn *flush_stream;
static void **cout_stream; /* std::cout: it has a buffer of its own after sync_with_stdio(false) */

static atomic_flag has_begun = ATOMIC_FLAG_INIT; /* acq_rel: by the thread that flushes */
static _Atomic int tries;                        /* relaxed: only counted */

/* Notes the text of what may be in the middle of output or hold a lock that output needs. */
static int note_runtime(struct dl_phdr_info *info, size_t size, void *unused)
{
    static const char *const names[] = {"libc.so",     "libc-2",      "ld-linux", "libpthread",
                                        "libgfortran", "libquadmath", "libasan",  "libtsan",
                                        "libubsan",    "liblsan",     "libstdc++"};
    const char *slash = strrchr(info->dlpi_name, '/'), *name = slash ? slash + 1 : info->dlpi_name;
    bool is_runtime = false;

    (void)size;
    (void)unused;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        is_runtime |= strncmp(name, names[i], strlen(names[i])) == 0;
    for (int i = 0; is_runtime && i < info->dlpi_phnum && regions < REGIONS; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        uintptr_t begin = (uintptr_t)info->dlpi_addr + part->p_vaddr;

        if (part->p_type == PT_LOAD && part->p_flags & PF_X)
            runtimes[regions++] = (struct runtime_text){begin, begin + part->p_memsz};
    }
    return 0;
}

/* A call that waits, and is begun again when the handler returns. Those that are not begun again return EINTR. */
static bool is_wait(long call)
{
    return call == SYS_futex || call == SYS_read || call == SYS_wait4 || call == SYS_waitid ||
           call == SYS_recvfrom || call == SYS_recvmsg || call == SYS_accept || call == SYS_accept4;
}

/* Whether the thread is in such a call. */
static bool is_waiting(const ucontext_t *c)
{
#if defined(__x86_64__)
    static const char instruction[] = {0x0f, 0x05};
    const char *at = (const char *)(uintptr_t)c->uc_mcontext.gregs[REG_RIP];
    long result = (long)c->uc_mcontext.gregs[REG_RAX], call = result;
#elif defined(__aarch64__)
    static const char instruction[] = {0x01, 0x00, 0x00, (char)0xd4};
    const char *at = (const char *)(uintptr_t)c->uc_mcontext.pc;
    long result = (long)c->uc_mcontext.regs[0], call = (long)c->uc_mcontext.regs[8];
#endif
#if defined(__x86_64__) || defined(__aarch64__)
    return (result == -EINTR && memcmp(at - sizeof instruction, instruction, sizeof instruction) == 0) ||
           (is_wait(call) && memcmp(at, instruction, sizeof instruction) == 0);
#else
    (void)c;
    (void)is_wait;
    return false;
#endif
}

/* Whether the thread that is interrupted there is in the middle of nothing of the runtimes'. */
static bool is_between_calls(const ucontext_t *c)
{
#if defined(__x86_64__)
    uintptr_t at = (uintptr_t)c->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
    uintptr_t at = (uintptr_t)c->uc_mcontext.pc;
#else
    uintptr_t at = runtimes[0].begin;
#endif
    for (int i = 0; i < regions; i++)
        if (at >= runtimes[i].begin && at < runtimes[i].end)
            return is_waiting(c);
    return true;
}

/* The system's own timer, since the C library's may allocate memory. */
static void send_later(int number, long first_ms, long interval_ms)
{
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = number};
    struct itimerspec when = {{0, interval_ms * 1000000}, {0, first_ms * 1000000}};
    int timer;

    if (syscall(SYS_timer_create, CLOCK_MONOTONIC, &event, &timer) == 0)
        syscall(SYS_timer_settime, timer, 0, &when, NULL);
}

/* Where no part of the program includes <iostream>, the library has std::cout, but nobody has made it: its first word, the table of
 * its functions, is NULL. */
static bool cout_is_made(void)
{
    return cout_stream && *cout_stream;
}

/* What is most likely there comes first: a lock may be held for as long as its holder waits for input. */
static void flush_all_but_python(void)
{
    int output = FORTRAN_OUTPUT;

    send_later(SIGKILL, LIMIT_MS, 0);
    fflush(stdout);
    if (flush_stream && cout_is_made())
        flush_stream(cout_stream);
    if (flush_unit)
        flush_unit(&output);
    fflush(NULL);
    if (flush_unit)
        flush_unit(NULL);
}

static void flush_all(void)
{
    flush_all_but_python();
    python_flush();
}

/* When the handler returns, the signal ends the process. */
static void end_by(int number)
{
    signal(number, SIG_DFL);
    raise(number);
}

/* Python calls it where it may be interrupted. */
static int end_from_python(void *unused)
{
    (void)unused;
    python_flush();
    end_by(SIGTERM);
    return 0;
}

/* In a thread that is in the middle of nothing of the runtimes'. */
static void flush_and_end(int number, const ucontext_t *context)
{
    if (atomic_flag_test_and_set_explicit(&has_begun, memory_order_acq_rel))
        return;
    flush_all_but_python();
    if (!is_waiting(context) && python_is_running() && python_call_soon(end_from_python))
        return;
    python_flush();
    end_by(number);
}

static void last_flush_handle(int number, siginfo_t *info, void *context)
{
    int before = errno, try = atomic_fetch_add_explicit(&tries, 1, memory_order_relaxed);

    (void)info;
    if (getpid() != owner) { /* a child that was forked: what it holds is its parent's */
        end_by(number);
    } else if (is_between_calls(context)) {
        flush_and_end(number, context);
    } else if (try == 0) {
        send_later(number, RETRY_MS, RETRY_MS);
    } else if (try > RETRIES) {
        end_by(number);
    }
    errno = before;
}

static void last_flush_find(void)
{
    void *found = dlsym(RTLD_DEFAULT, "_gfortran_flush_i4");

    memcpy(&flush_unit, &found, sizeof found);
    found = dlsym(RTLD_DEFAULT, "_ZNSo5flushEv");
    memcpy(&flush_stream, &found, sizeof found);
    cout_stream = dlsym(RTLD_DEFAULT, "_ZSt4cout");
    python_flush_find();
}

void last_flush_prepare(void)
{
    struct sigaction found,
        wanted = {.sa_sigaction = last_flush_handle, .sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK};

    if (sigaction(SIGTERM, NULL, &found) < 0 || found.sa_flags & SA_SIGINFO || found.sa_handler != SIG_DFL)
        return;
    owner = getpid();
    last_flush_find();
    dl_iterate_phdr(note_runtime, NULL);
    sigaction(SIGTERM, &wanted, NULL);
}

void last_flush_now(void)
{
    if (atomic_flag_test_and_set_explicit(&has_begun, memory_order_acq_rel))
        return;
    if (!flush_unit)
        last_flush_find();
    flush_all();
}
