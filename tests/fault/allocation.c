/* Preloaded into a rank: its n-th allocation fails. Allocations of the program itself do not count; those of
 * the library and of what it calls do, but not those of hwloc where it crashes without.
 *
 *     FAULT_ALLOCATION=N    which one fails; 0: none
 *     FAULT_AND_LATER=1     so do all that follow
 *     FAULT_RANK=R          in rank R only
 *     FAULT_PROGRAM=NAME    instead, only those of the program itself count, in processes of this name: a command's
 *     FAULT_BETWEEN=1       only those between the program's calls of fault_begin and fault_end count
 *     FAULT_REPORT=FILE     the number of allocations, written there at the end
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <hwloc.h>
#include <link.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

static struct {
    uintptr_t begin, end; /* the program */
    long failing;
    int and_later, of_program, is_meant, active; /* is_meant: this rank */
} fault;
static atomic_long count;
static _Thread_local int spared __attribute__((tls_model("initial-exec"))); /* this thread is in hwloc */

/* The first object is the program. */
static int note_program(struct dl_phdr_info *info, size_t size, void *unused)
{
    (void)size;
    (void)unused;
    fault.begin = UINTPTR_MAX;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        uintptr_t begin = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;

        if (info->dlpi_phdr[i].p_type != PT_LOAD)
            continue;
        fault.begin = begin < fault.begin ? begin : fault.begin;
        fault.end =
            begin + info->dlpi_phdr[i].p_memsz > fault.end ? begin + info->dlpi_phdr[i].p_memsz : fault.end;
    }
    return 1;
}

static __attribute__((constructor)) void start(void)
{
    const char *n = getenv("FAULT_ALLOCATION"), *only = getenv("FAULT_RANK"), *rank = getenv("PMI_RANK"),
               *program = getenv("FAULT_PROGRAM");

    dl_iterate_phdr(note_program, NULL);
    fault.failing = n ? atol(n) : 0;
    fault.and_later = getenv("FAULT_AND_LATER") != NULL;
    fault.of_program = program != NULL;
    fault.is_meant = program ? strcmp(program, program_invocation_short_name) == 0
                             : !only || !rank || atoi(only) == atoi(rank);
    fault.active = fault.is_meant && !getenv("FAULT_BETWEEN");
}

void fault_begin(void);
void fault_begin(void)
{
    fault.active = fault.is_meant;
}

void fault_end(void);
void fault_end(void)
{
    fault.active = 0;
}

static __attribute__((destructor)) void report(void)
{
    const char *path = getenv("FAULT_REPORT");
    char text[32];
    int length = snprintf(text, sizeof text, "%ld\n", atomic_load(&count));
    int fd = path && fault.is_meant ? open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600) : -1;

    if (fd >= 0 && write(fd, text, (size_t)length) != length)
        _exit(98);
}

static int fails(const void *caller)
{
    int by_program = (uintptr_t)caller >= fault.begin && (uintptr_t)caller < fault.end;
    long n;

    if (!fault.active || spared || by_program != fault.of_program)
        return 0;
    n = atomic_fetch_add(&count, 1) + 1;
    if (!fault.failing || n < fault.failing || (n > fault.failing && !fault.and_later))
        return 0;
    errno = ENOMEM;
    return 1;
}

void *malloc(size_t size)
{
    return fails(__builtin_return_address(0)) ? NULL : __libc_malloc(size);
}

void *calloc(size_t number, size_t size)
{
    return fails(__builtin_return_address(0)) ? NULL : __libc_calloc(number, size);
}

void *realloc(void *old, size_t size)
{
    return fails(__builtin_return_address(0)) ? NULL : __libc_realloc(old, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return fails(__builtin_return_address(0)) ? NULL : __libc_memalign(alignment, size);
}

int posix_memalign(void **at, size_t alignment, size_t size)
{
    void *found = fails(__builtin_return_address(0)) ? NULL : __libc_memalign(alignment, size);

    if (!found)
        return ENOMEM;
    *at = found;
    return 0;
}

/* hwloc uses what it could not allocate (2.9). The library asks for room before it calls these (hw_resource.c). */
static void *spared_function(const char *name)
{
    spared++;
    return dlsym(RTLD_NEXT, name);
}

static int end_spared(int result)
{
    spared--;
    return result;
}

int hwloc_topology_init(hwloc_topology_t *topology)
{
    int (*init)(hwloc_topology_t *) = spared_function("hwloc_topology_init");

    return end_spared(init(topology));
}

int hwloc_topology_load(hwloc_topology_t topology)
{
    int (*load)(hwloc_topology_t) = spared_function("hwloc_topology_load");

    return end_spared(load(topology));
}

int hwloc_get_cpubind(hwloc_topology_t topology, hwloc_cpuset_t set, int flags)
{
    int (*get)(hwloc_topology_t, hwloc_cpuset_t, int) = spared_function("hwloc_get_cpubind");

    return end_spared(get(topology, set, flags));
}
