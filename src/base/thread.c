#include "base/thread.h"

#include <signal.h>

#include <stdatomic.h>
#include <stddef.h>

_Thread_local unsigned thread_number;

unsigned thread_begin(void)
{
    static _Atomic unsigned begun;

    thread_number = atomic_fetch_add_explicit(&begun, 1, memory_order_relaxed) % THREAD_STRIPES + 1;
    return thread_number;
}

void *thread_pointer(void)
{
#if defined(__x86_64__)
    void *at;

    __asm__("mov %%fs:0, %0" : "=r"(at));
    return at;
#elif defined(__aarch64__)
    void *at;

    __asm__("mrs %0, tpidr_el0" : "=r"(at));
    return at;
#elif defined(__riscv)
    void *at;

    __asm__("mv %0, tp" : "=r"(at));
    return at;
#else
    return NULL;
#endif
}

void thread_relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

int thread_start(pthread_t *thread, void *(*run)(void *))
{
    sigset_t all, before;
    int code;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    code = pthread_create(thread, NULL, run, NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return code;
}
