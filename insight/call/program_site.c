#include "insight/call/program_site.h"

#include "plain/python_frame.h"
#include "plain/source_place.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unwind.h>

enum {
    LIBRARIES = 8
};

/* Libraries between a program and this one: Fortran's bindings, and those for programs of other MPI libraries (foreign/). */
static struct between {
    uintptr_t low, size;
    bool is_foreign;
} between[LIBRARIES];
int program_site_libraries;

static bool path_names_one(const char *path, const char *const *names)
{
    while (*names && !strstr(path, *names))
        names++;
    return *names;
}

static int look_at_library(struct dl_phdr_info *info, size_t length, void *unused)
{
    static const char *const bindings[] = {"/libmpifort", "/libmpi_mpifh", "/libmpi_usempi", NULL};
    static const char *const foreign[] = {"/foreign/openmpi/", "/foreign/mpich/", NULL};
    bool is_foreign = path_names_one(info->dlpi_name, foreign);
    struct between *b = &between[program_site_libraries];

    (void)length;
    (void)unused;
    if ((!is_foreign && !path_names_one(info->dlpi_name, bindings)) || program_site_libraries == LIBRARIES)
        return 0;
    *b = (struct between){.low = info->dlpi_addr, .is_foreign = is_foreign};
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_LOAD)
            b->size = info->dlpi_phdr[i].p_vaddr + info->dlpi_phdr[i].p_memsz;
    program_site_libraries++;
    return 0;
}

void program_site_open(void)
{
    program_site_libraries = 0;
    dl_iterate_phdr(look_at_library, NULL);
}

static const struct between *find_between(const void *address)
{
    for (const struct between *b = between; b < between + program_site_libraries; b++)
        if ((uintptr_t)address - b->low < b->size)
            return b;
    return NULL;
}

bool program_site_is_binding(const void *address)
{
    return find_between(address) != NULL;
}

bool program_site_is_foreign(const void *address)
{
    const struct between *b = find_between(address);

    return b && b->is_foreign;
}

struct frame_walk {
    bool is_in_binding; /* frames of the checks come first */
    void *found;
};

static _Unwind_Reason_Code look_at_frame(struct _Unwind_Context *context, void *of)
{
    struct frame_walk *walk = of;
    void *at = (void *)_Unwind_GetIP(context);

    if (program_site_is_binding(at)) {
        walk->is_in_binding = true;
        return _URC_NO_REASON;
    }
    if (!walk->is_in_binding)
        return _URC_NO_REASON;
    walk->found = at;
    return _URC_END_OF_STACK;
}

void *program_site_find(void *site)
{
    struct frame_walk walk = {false, NULL};

    _Unwind_Backtrace(look_at_frame, &walk);
    return walk.found ? walk.found : site;
}

enum {
    SCRIPT_PLACES = 1 << 14
};

/* Places in Python, by a hash. Added under the lock; what is there stays as it is. */
static struct script_place {
    _Atomic(char *) file; /* release: who sees it sees the rest. NULL: free */
    int line, first_line;
    bool is_importing;
} scripts[SCRIPT_PLACES];
static pthread_mutex_t adds = PTHREAD_MUTEX_INITIALIZER;

static size_t hash_frame(const struct python_frame *frame)
{
    uint64_t hash = (uint64_t)frame->line * 0x9e3779b97f4a7c15u + (uint64_t)frame->first_line;

    for (const char *at = frame->file; *at; at++)
        hash = (hash ^ (unsigned char)*at) * 0x100000001b3u;
    return (size_t)(hash % SCRIPT_PLACES);
}

/* The place, or where it would be; NULL: no room. */
static struct script_place *find_script(const struct python_frame *frame)
{
    size_t at = hash_frame(frame);

    for (int i = 0; i < 64; i++, at = (at + 1) % SCRIPT_PLACES) {
        const char *file = atomic_load_explicit(&scripts[at].file, memory_order_acquire);

        if (!file || (scripts[at].line == frame->line && scripts[at].first_line == frame->first_line &&
                      scripts[at].is_importing == frame->is_importing && strcmp(file, frame->file) == 0))
            return &scripts[at];
    }
    return NULL;
}

static struct script_place *add_script(const struct python_frame *frame)
{
    struct script_place *place;

    pthread_mutex_lock(&adds);
    place = find_script(frame);
    if (place && !atomic_load_explicit(&place->file, memory_order_relaxed)) {
        place->line = frame->line;
        place->first_line = frame->first_line;
        place->is_importing = frame->is_importing;
        atomic_store_explicit(&place->file, strdup(frame->file), memory_order_release);
    }
    pthread_mutex_unlock(&adds);
    return place;
}

__attribute__((noinline)) static void *find_in_python(void *site)
{
    struct script_place *place;
    struct python_frame frame;

    if (!python_frame_find(&frame))
        return site;
    place = find_script(&frame);
    if (place && !atomic_load_explicit(&place->file, memory_order_acquire))
        place = add_script(&frame);
    return place ? place : site;
}

void *program_site_find_script(void *site)
{
    return python_frame_may_be() ? find_in_python(site) : site;
}

bool program_site_is_script(const void *address)
{
    return (uintptr_t)address - (uintptr_t)scripts < sizeof scripts;
}

bool program_site_is_importing(const void *address)
{
    return program_site_is_script(address) && ((const struct script_place *)address)->is_importing;
}

bool program_site_locate(const void *address, char *path, size_t room, uint64_t *offset)
{
    char whole[PATH_MAX];

    if (program_site_is_script(address)) {
        const struct script_place *place = address;
        const char *file = atomic_load_explicit(&place->file, memory_order_acquire);

        if (!file)
            return false;
        *offset = source_place_in_script(place->first_line, place->line);
        return snprintf(path, room, "%s", realpath(file, whole) ? whole : file) < (int)room;
    }
    return source_place_module(address, whole, offset) && snprintf(path, room, "%s", whole) < (int)room;
}

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
