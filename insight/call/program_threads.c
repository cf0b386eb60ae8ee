#include "insight/call/program_site.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unwind.h>

typedef int create_fn(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                      void *argument);
typedef int region_fn(void);

static region_fn *in_parallel; /* written before the program's second call, under the lock of checks */
static _Atomic int running;    /* threads of the executable; relaxed: a count */
static void *_Atomic begun_at; /* the last one; relaxed */
static pthread_key_t ending;   /* its destructor counts a thread that ends */
static pthread_once_t once = PTHREAD_ONCE_INIT;

void program_threads_open(void)
{
    void *function = dlsym(RTLD_DEFAULT, "omp_in_parallel");

    memcpy(&in_parallel, &function, sizeof function);
}

bool program_threads_may_be(void)
{
    return in_parallel || atomic_load_explicit(&running, memory_order_relaxed) > 0;
}

bool program_threads_in_region(void)
{
    return in_parallel && in_parallel();
}

void *program_threads_begun_at(void)
{
    return atomic_load_explicit(&running, memory_order_relaxed) > 0
               ? atomic_load_explicit(&begun_at, memory_order_relaxed)
               : NULL;
}

/* The first module is the executable. */
static int find_executable(struct dl_phdr_info *info, size_t length, void *base)
{
    (void)length;
    *(uintptr_t *)base = info->dlpi_addr;
    return 1;
}

/* A frame's module: 1: the executable, 0: the C++ library, whose caller counts, -1: another. */
static int judge_module(void *address)
{
    uintptr_t executable = 0;
    Dl_info info;
    struct link_map *map;

    dl_iterate_phdr(find_executable, &executable);
    if (!dladdr1(address, &info, (void **)&map, RTLD_DL_LINKMAP) || !map)
        return -1;
    if (map->l_addr == executable)
        return 1;
    return info.dli_fname && (strstr(info.dli_fname, "/libstdc++") || strstr(info.dli_fname, "/libc++")) ? 0
                                                                                                         : -1;
}

struct thread_walk {
    void *site; /* of the call of pthread_create */
    bool has_come;
    void *found;
};

static _Unwind_Reason_Code look_at_beginner(struct _Unwind_Context *context, void *of)
{
    struct thread_walk *walk = of;
    void *at = (void *)_Unwind_GetIP(context);
    int kind;

    walk->has_come |= at == walk->site;
    kind = walk->has_come ? judge_module(at) : 0;
    if (kind == 0)
        return _URC_NO_REASON;
    walk->found = kind > 0 ? at : NULL;
    return _URC_END_OF_STACK;
}

/* Where the executable begins the thread; NULL: a library does. */
static void *find_beginner(void *site)
{
    struct thread_walk walk = {site, false, NULL};

    _Unwind_Backtrace(look_at_beginner, &walk);
    return walk.found;
}

static void count_ended(void *unused)
{
    (void)unused;
    atomic_fetch_sub_explicit(&running, 1, memory_order_relaxed);
}

static create_fn *below;

static void open_once(void)
{
    void *function = dlsym(RTLD_NEXT, "pthread_create");

    memcpy(&below, &function, sizeof function);
    pthread_key_create(&ending, count_ended);
}

struct beginning {
    void *(*run)(void *);
    void *argument;
};

static void *run_counted(void *of)
{
    struct beginning b = *(struct beginning *)of;

    free(of);
    pthread_setspecific(ending, &ending);
    return b.run(b.argument);
}

/* Stands before the C library's. */
int program_threads_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                           void *argument) __asm__("pthread_create") __attribute__((visibility("default")));
int program_threads_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                           void *argument)
{
    void *site;
    struct beginning *b;
    int error;

    pthread_once(&once, open_once);
    site = find_beginner(__builtin_return_address(0));
    b = site ? malloc(sizeof *b) : NULL;
    if (!b)
        return below(thread, attributes, run, argument);
    *b = (struct beginning){run, argument};
    atomic_store_explicit(&begun_at, site, memory_order_relaxed);
    atomic_fetch_add_explicit(&running, 1, memory_order_relaxed);
    error = below(thread, attributes, run_counted, b);
    if (!error)
        return 0;
    atomic_fetch_sub_explicit(&running, 1, memory_order_relaxed);
    free(b);
    return error;
}
