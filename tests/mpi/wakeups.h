/* wakeups: shared by the tests of sleeping ranks and threads. Their own syscall(), which the library calls to
 * sleep, is slow. So what another one does often falls between its last look and its sleep. Their own sysconf()
 * and sched_yield() let ranks that outnumber the cores sleep at once, and for as long as nobody wakes them. */
#ifndef TESTS_MPI_WAKEUPS_H
#define TESTS_MPI_WAKEUPS_H

#include <dlfcn.h>
#include <linux/futex.h>
#include <sched.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum {
    SECTION_MS = 600, /* what is tried over and over takes so long */
    RANK_US = 40,     /* about what a rank needs until it sleeps, */
    THREAD_US = 500,  /* or a thread among others */
    LONG_US = 2000,
    DAWDLE_US = 100,
    CORES = 64,
    MANY = 1000 /* messages, more than a ring holds */
};

static inline double now_us(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

/* Mostly about as long as it takes to fall asleep, now and then until another surely sleeps. */
static inline void linger(unsigned *seed, int most_us)
{
    double end = now_us() + (double)(rand_r(seed) % most_us);

    if (rand_r(seed) % 32 == 0)
        nanosleep(&(struct timespec){0, rand_r(seed) % LONG_US * 1000L}, NULL);
    else
        while (now_us() < end)
            ;
}

static void dawdle(void)
{
    static _Thread_local unsigned own = 1;
    double end = now_us() + (double)(rand_r(&own) % 2 ? rand_r(&own) % DAWDLE_US : 0);

    while (now_us() < end)
        ;
}

#pragma GCC visibility push(default) /* so that the library calls this */
long syscall(long number, ...)
{
    static _Atomic(long (*)(long, ...)) found; /* relaxed: all find the same */
    long (*libc)(long, ...) = atomic_load_explicit(&found, memory_order_relaxed), word[6], result;
    va_list words;

    if (!libc)
        libc = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
    atomic_store_explicit(&found, libc, memory_order_relaxed);
    va_start(words, number);
    for (int i = 0; i < 6; i++)
        word[i] = va_arg(words, long);
    va_end(words);
    if (number == SYS_futex && (word[1] & FUTEX_CMD_MASK) == FUTEX_WAIT)
        dawdle();
    result = libc(number, word[0], word[1], word[2], word[3], word[4], word[5]);
    if (number == SYS_membarrier)
        dawdle();
    return result;
}

/* Where ranks outnumber the cores that there are no sleep lasts longer than 10 ms, and none would hang. */
long __sysconf(int name); /* the C library's own */

/* A sanitizer asks before it is ready for dlsym, or for code that it watches. */
__attribute__((no_sanitize("thread", "address", "undefined"))) long sysconf(int name)
{
    return name == _SC_NPROCESSORS_ONLN ? CORES : __sysconf(name);
}

/* Who waits and would give others the core first soon sleeps, however many want it. */
int sched_yield(void)
{
    return 0;
}
#pragma GCC visibility pop

#endif
