/* thread: gives each thread of the process a small number, its *stripe*, so that threads write different
 * copies of data that changes all the time. Threads beyond THREAD_STRIPES share stripes, so a stripe still
 * needs a lock or atomics; but two threads seldom meet there. */
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

/* What the machine keeps for each thread: its variables lie at fixed distances from it. NULL: not known for this machine. */
void *thread_pointer(void);

/* Pauses the core for a moment: for loops that wait. */
void thread_relax(void);

/* Starts a thread that handles no signals of the program. Returns what pthread_create does: 0, or an
 * errno. */
int thread_start(pthread_t *thread, void *(*run)(void *));

#endif
