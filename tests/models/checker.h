/* checker: explores what two or three threads or processes can do to each other in a hand-over without a lock.
 *
 * A *model* is a program: it names the shared memory, what each thread does with the library's own functions, and what must hold.
 * These functions are compiled for it from their sources in src: instrument.h turns each atomic operation, fence and system call
 * into a call of the checker, and the compiler does so for all other loads and stores (-fsanitize=thread, whose calls races.c
 * answers). The checker runs the model again and again, each time with other choices, until it has tried all that differ:
 * which thread goes next (explore.c: depth first, with dynamic partial-order reduction and sleep sets), and which store a load
 * returns (weak.c). Nothing bounds the number of switches between threads, but where a scenario says so: it then finds faults and
 * proves nothing.
 *
 * Two memory models:
 *   weak  That of C11, operationally: a load may return each store that neither coherence nor what happens before excludes. A
 *         store may come before one that another thread made earlier, if nothing orders them. Fences are as in C++20. A plain
 *         access that nothing orders with another one is a race. membarrier is a fence in each thread at some moment; what its
 *         compiler may still move across that moment is not ordered (a signal fence says what it may not move).
 *   tso   x86-64: each thread has a store buffer, which loads look into, and which is empty after a seq_cst store, a seq_cst fence and
 *         each read-modify-write.
 * What is not explored: a load that returns a store which depends on it (no processor makes up values, but some let a store
 * overtake an earlier load), stores of two threads to two words that each word gets in the order of another thread (litmus.c: two
 * stores each), compare-exchanges that fail without a cause, times. A sleep with a time limit is one without.
 *
 * Findings: a CHECK that fails; a race; a state in which no thread can go on although not all have ended, which is a lost wake-up
 * or a wait for something that nobody stores. A loop that waits calls sched_yield or nanosleep: the thread then
 * waits until one of the values that it has read changes.
 *
 * Each order is then weakened in turn: seq_cst to acq_rel, acquire and release to relaxed, a fence is left out. The models must fail in at
 * least one memory model. What they need not notice is named in the model, with the reason: `spare`.
 */
#ifndef MODELS_CHECKER_H
#define MODELS_CHECKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifndef MODEL_THREADS
#define MODEL_THREADS 3
#endif

enum {
    THREADS = MODEL_THREADS
};

/* What is not named is 0. Static memory is as it was at the program's start in each run. */
struct scenario {
    const char *name; /* NULL: there are no more */
    void (*begin)(void);
    void (*thread[THREADS])(void);
    void (*end)(void); /* when all have ended */
    int switches;      /* how often a run may go from a thread that could go on to another one; 0: no bound */
    bool
        processes; /* each thread is a process: it has static memory of its own, as `begin` has left it, but for SHARED */
};
extern const struct scenario scenarios[];

/* Beginnings of the names of files below src whose orders the model weakens. */
extern const char *const weakened_files[];

/* An order that no scenario needs, and why it stays; `file` NULL: there are no more. */
struct spare {
    const char *file, *function, *text; /* the text is as of a line of the report */
    const char *reason;
};
extern const struct spare spares[];

/* Of static objects that processes share. */
#define SHARED __attribute__((section("model_shared")))

#define MODEL_LINE_(line) #line
#define MODEL_LINE(line)  MODEL_LINE_(line)
#define CHECK(condition)                                                                                     \
    ((condition) ? (void)0 : model_fail(__FILE__ ":" MODEL_LINE(__LINE__) ": " #condition " does not hold"))
void model_fail(const char *what) __attribute__((noreturn));

/* Which thread calls: its index in the scenario. */
int model_self(void);
/* For `begin`: whether the system has it; it has at first. */
void model_has_membarrier(bool has);
/* Waits until a value that this thread has read changes. */
void model_pause(void);
/* Waits for a condition that only looks. A run in which it looks too early is given up, since in another run it looks later, and
 * finds what it waits for. */
#define AWAIT(condition)                                                                                     \
    do                                                                                                       \
        model_look();                                                                                        \
    while (!(condition) && (model_retry(), true))
void model_look(void);
void model_retry(void);

#endif
