/* thread: a small number for each thread of the process, so that threads can keep apart what they write all
 * the time: each has a *stripe* of it. Threads beyond THREAD_STRIPES share stripes, so a stripe needs a lock
 * or atomics nevertheless; it is only seldom that two threads meet there. */
#ifndef BASE_THREAD_H
#define BASE_THREAD_H

#include <pthread.h>

enum {
    THREAD_STRIPES = 16,
    THREAD_LINE = 64 /* stripes lie in cache lines of their own */
};

/* This thread's stripe + 1; 0: it has none yet. */
extern _Thread_local unsigned thread_number __attribute__((tls_model("initial-exec")));
unsigned thread_begin(void);

static inline unsigned thread_stripe(void)
{
    unsigned number = thread_number;

    return (__builtin_expect(number != 0, 1) ? number : thread_begin()) - 1;
}

/* A thread in which no signal of the program is handled. Returns what pthread_create does: 0, or an errno. */
int thread_start(pthread_t *thread, void *(*run)(void *));

#endif
