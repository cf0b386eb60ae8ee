/* Threads are coroutines. A run that is cut leaves them where they are, and the next one begins them anew. */
#include "engine.h"

#include <link.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

enum {
    STACK_BYTES = 256 * 1024,
    MAIN = THREADS /* the index of the coroutine that starts the others */
};

extern char __data_start, _end;                        /* of the linker: static memory, and ... */
extern char __start_model_shared, __stop_model_shared; /* ... what of it processes share */
static char shared_by_none[8] SHARED __attribute__((used));

static struct coroutines {
    ucontext_t start[THREADS];
    jmp_buf at[THREADS], home; /* home: where a run ends */
    bool is_started[THREADS];
    char *stack[THREADS];
    char *own, *own_at_start, *own_of[THREADS + 1]; /* a thread's own static memory (_Thread_local) */
    size_t own_bytes;
    char *all_at_start, *all_of[THREADS + 1];
    size_t all_bytes;
    int running; /* MAIN included */
    enum outcome outcome;
} * co;
struct engine *engine;

static int find_own(struct dl_phdr_info *info, size_t size, void *unused)
{
    (void)size;
    (void)unused;
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_TLS) {
            co->own = info->dlpi_tls_data;
            co->own_bytes = info->dlpi_phdr[i].p_memsz;
        }
    return 1; /* the program comes first */
}

static void *reserve(size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (memory == MAP_FAILED)
        abort();
    return memory;
}

void threads_open(void)
{
    engine = reserve(sizeof *engine);
    co = reserve(sizeof *co);
    dl_iterate_phdr(find_own, NULL);
    co->own_at_start = reserve(co->own_bytes + 1);
    for (int i = 0; i <= THREADS; i++)
        co->own_of[i] = reserve(co->own_bytes + 1);
    for (int i = 0; i < THREADS; i++)
        co->stack[i] = reserve(STACK_BYTES);
    if (co->own_bytes)
        memcpy(co->own_at_start, co->own, co->own_bytes);
    co->all_bytes = (size_t)(&_end - &__data_start);
    co->all_at_start = reserve(co->all_bytes);
    for (int i = 0; i <= THREADS; i++)
        co->all_of[i] = reserve(co->all_bytes);
    memcpy(co->all_at_start, &__data_start, co->all_bytes);
}

bool threads_is_own_stack(const volatile void *at)
{
    return (size_t)((const volatile char *)at - co->stack[engine->current]) < STACK_BYTES;
}

bool threads_is_private(const volatile void *at)
{
    const volatile char *byte = at;

    if (byte >= co->own && byte < co->own + co->own_bytes)
        return true;
    return engine->scenario->processes && byte >= &__data_start && byte < &_end &&
           !(byte >= &__start_model_shared && byte < &__stop_model_shared);
}

/* Copies static memory that processes do not share; both begin where __data_start does, one of them at it. */
static void copy_private(char *to, const char *from)
{
    size_t first = (size_t)(&__start_model_shared - &__data_start),
           shared = (size_t)(&__stop_model_shared - &__start_model_shared);

    memcpy(to, from, first);
    memcpy(to + first + shared, from + first + shared, co->all_bytes - first - shared);
}

static void switch_memory(int from, int to)
{
    if (co->own_bytes) {
        memcpy(co->own_of[from], co->own, co->own_bytes);
        memcpy(co->own, co->own_of[to], co->own_bytes);
    }
    if (engine->scenario->processes) {
        copy_private(co->all_of[from], &__data_start);
        copy_private(&__data_start, co->all_of[to]);
    }
}

static void forget(void)
{
    memcpy(&__data_start, co->all_at_start, co->all_bytes);
    for (int i = 0; i <= THREADS; i++)
        if (co->own_bytes)
            memcpy(co->own_of[i], co->own_at_start, co->own_bytes);
    if (co->own_bytes)
        memcpy(co->own, co->own_at_start, co->own_bytes);
    memset(co->is_started, 0, sizeof co->is_started);
    co->running = MAIN;
}

static void thread_body(void)
{
    engine->scenario->thread[engine->current]();
    explore_next();
}

static void enter(int to)
{
    if (co->is_started[to])
        _longjmp(co->at[to], 1);
    co->is_started[to] = true;
    getcontext(&co->start[to]);
    co->start[to].uc_stack.ss_sp = co->stack[to];
    co->start[to].uc_stack.ss_size = STACK_BYTES;
    co->start[to].uc_link = NULL;
    makecontext(&co->start[to], thread_body, 0);
    setcontext(&co->start[to]);
}

void threads_switch(int to)
{
    int from = co->running;

    switch_memory(from, to);
    co->running = engine->current = to;
    if (from == MAIN || _setjmp(co->at[from]) == 0)
        enter(to);
}

void threads_end(enum outcome outcome)
{
    co->outcome = outcome;
    if (engine->is_running && co->running != MAIN)
        switch_memory(co->running, MAIN);
    engine->is_running = false;
    _longjmp(co->home, 1);
}

static void end_scenario(void)
{
    if (co->outcome == RUN_OK && engine->scenario->end)
        engine->scenario->end();
}

/* Where a CHECK of `begin` or `end` fails it comes back here, too. */
enum outcome threads_run(void)
{
    forget();
    co->outcome = RUN_OK;
    if (_setjmp(co->home) == 0) {
        if (engine->scenario->begin)
            engine->scenario->begin();
        for (int i = 0; i < engine->threads && engine->scenario->processes; i++)
            copy_private(co->all_of[i], &__data_start);
        engine->is_running = true;
        explore_next();
    }
    if (co->outcome == RUN_OK && _setjmp(co->home) == 0)
        end_scenario();
    return co->outcome;
}
