/* engine: the parts of the checker and what they know of each other.
 *
 *   explore.c   which thread goes next; runs a scenario with all choices
 *   threads.c   switches between the threads, which are coroutines of one
 *   weak.c      the weak memory model
 *   tso.c       that of x86-64
 *   races.c     plain loads and stores
 *   operations.c, system.c  what the instrumented code calls
 *   report.c    the program: checks all scenarios, then weakens each order
 *
 * All state that outlives a run is in one object outside of static memory, which each run begins anew.
 */
#ifndef MODELS_ENGINE_H
#define MODELS_ENGINE_H

#include "checker.h"
#include "operations.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum {
    ENTITIES = 2 * THREADS, /* threads, and the store buffer of each */
    MUTEXES = 16,
    PLACES = 64,  /* of atomic words in a run */
    STORES = 96,  /* to one of them */
    STEPS = 4000, /* of a run */
    SITES = 512,
    PENDING = 16, /* stores in a buffer */
    READS = 64,   /* from one pause to the next */
    BYTES = 1 << 14
};

/* What a thread is about to do, as far as others may notice. */
enum step_kind {
    STEP_LOCAL,
    STEP_LOAD,
    STEP_STORE,
    STEP_CHANGE,
    STEP_FENCE,       /* sequentially consistent */
    STEP_LOCAL_FENCE, /* any other */
    STEP_COMPILER,
    STEP_REMOTE_FENCE, /* in thread `other` */
    STEP_SLEEP,
    STEP_WAKE,
    STEP_AWAKE,
    STEP_LOCK,
    STEP_UNLOCK,
    STEP_PAUSE,
    STEP_RETRY,
    STEP_DRAIN /* of a store buffer */
};

struct step {
    enum step_kind kind;
    const volatile void *at;
    size_t size;
    bool is_strict; /* sequentially consistent */
    int other;
    const struct site *site;
    uint64_t value; /* what came of it, for the report */
};

/* What a thread has seen of all atomic words: the index of the store that it must not look behind. `clock`: what happened before. */
struct view {
    int32_t time[PLACES];
    uint32_t clock[THREADS + 1];
};

struct store {
    uint64_t value;
    int event;        /* that made it; -1: it was there at the beginning */
    struct view view; /* what an acquire that reads it gets */
};

struct place {
    const volatile void *at;
    size_t size;
    int count;
    uint32_t version;           /* counts the stores; in tso: */
    int event;                  /* of the last one; -1: none */
    struct store store[STORES]; /* in their order, which is that of execution */
};

/* A value that a thread has read since its last pause. */
struct read_note {
    int place;
    int32_t time;
};

enum thread_state {
    THREAD_READY,
    THREAD_ASLEEP, /* on pending.at */
    THREAD_OVER
};

struct thread {
    enum thread_state state;
    struct step pending;
    struct view now, acquired, released; /* as by now; what a fence acquires; what a fence has released */
    struct view ordered, owed;           /* behind the last order of the compiler; what the next one brings */
    struct read_note read[READS], before[READS];
    int reads, reads_before; /* -1: there was no pause */
    struct {
        volatile void *at;
        size_t size;
        uint64_t value;
    } buffer[PENDING];
    int buffered;
};

/* Of one byte: the clocks of each thread's last accesses. */
struct byte {
    uintptr_t at;
    uint64_t run;  /* in which it was used last */
    uint8_t users; /* threads: a set */
    uint32_t read[THREADS], write[THREADS], atomic_read[THREADS], atomic_write[THREADS];
};

/* A choice of a run. */
struct node {
    bool is_value;
    uint8_t enabled, wanted, done, sleeps; /* sets of entities */
    uint16_t chosen, count;
    int16_t current,
        switches; /* the thread that ran before, and how often a run has left one that could go on */
};

struct event {
    struct step step;
    int entity, node;
    uint32_t done[ENTITIES]; /* steps that come before it, it included */
};

enum outcome {
    RUN_OK,
    RUN_CUT,  /* another run has shown it */
    RUN_FOUND /* a finding */
};

struct engine {
    bool is_tso, is_running, keeps_trace;
    const struct scenario *scenario;
    int threads, current; /* -1: none runs */
    struct thread thread[THREADS];
    struct place place[PLACES];
    int places;
    int32_t strict[PLACES]; /* by place: what sequentially consistent operations have seen */
    struct {
        const volatile void *at;
        int holder; /* -1: free */
        struct view view;
    } mutex[MUTEXES];
    int mutexes;
    struct node node[STEPS];
    int depth, nodes;
    uint8_t sleeps;
    int switches;
    struct event event[STEPS];
    int events;
    uint32_t done[ENTITIES][ENTITIES]; /* by entity: how many steps of each come before its next one */
    uint64_t runs, cuts;
    bool has_no_membarrier;
    struct byte byte[BYTES]; /* a hash table */
    char finding[512];
    bool reached[SITES];
};
extern struct engine *engine;

/* explore.c */
enum outcome explore(const struct scenario *scenario, bool is_tso);
/* Lets the other threads go on until it is this one's turn to do the step. */
void explore_step(struct step step);
/* The result of the last step, for the report. */
void explore_note(uint64_t value);
/* The last step, a load, has read what this event has stored; -1: none has. */
void explore_read_from(int event);
/* One of `count` values: 0 first. */
int explore_choose(int count);
void explore_next(void) __attribute__((noreturn)); /* the calling thread has ended */
void explore_cut(void) __attribute__((noreturn));

/* threads.c */
enum outcome threads_run(void);
void threads_switch(int to);
void threads_end(enum outcome outcome) __attribute__((noreturn));
void threads_open(void);
bool threads_is_own_stack(const volatile void *at);
/* Whether no other thread uses this memory, since it is the process's. */
bool threads_is_private(const volatile void *at);

/* weak.c */
enum pick {
    PICK_ANY,
    PICK_LAST, /* for a read-modify-write: no other one has replaced it */
    PICK_COMPARE /* for a compare-exchange: it has another value than `expected`, or no other one has replaced it */
};
struct place *place_of(const volatile void *at, size_t size);
void view_join(struct view *to, const struct view *from);
/* Chooses the store that a thread reads. */
struct store *weak_pick(struct thread *t, struct place *p, bool is_strict, enum pick how, uint64_t expected);
void weak_read(struct thread *t, struct place *p, const struct store *from, memory_order order);
struct store *weak_store(struct thread *t, struct place *p, uint64_t value, memory_order order);
/* The second half of a read-modify-write, after weak_read. */
void weak_replace(struct thread *t, struct place *p, const struct store *from, uint64_t value,
                  memory_order order);
void weak_fence(struct thread *t, memory_order order);
void weak_compiler_fence(struct thread *t);
void weak_remote_fence(struct thread *other);

/* tso.c */
uint64_t tso_load(const struct thread *t, const struct place *p);
void tso_write(struct place *p, uint64_t value);
void tso_buffer(struct thread *t, struct place *p, uint64_t value);
void tso_drain(struct thread *t);

/* operations.c */
uint64_t raw_load(const volatile void *at, size_t size);
void raw_store(volatile void *at, size_t size, uint64_t value);
bool pause_is_over(const struct thread *t);
bool lock_is_free(const volatile void *mutex);

/* races.c */
void races_note(const volatile void *at, size_t size, bool writes, bool is_atomic);

/* report.c */
memory_order site_order(const struct site *site, bool is_failure);
bool site_is_dropped(const struct site *site);

#endif
