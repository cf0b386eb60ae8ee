/* Finds Inkling's procedures when the library is loaded. */
#include "foreign/foreign.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct real real;

static const struct {
    const char *name;
    size_t at;
} names[] = {REAL_NAMES};

void foreign_fail(const char *text)
{
    fprintf(stderr, "inkling: %s\n", text);
    _exit(1);
}

/* mpiexec --check and --advise name what stands between; it is opened first, so that it finds the library behind it. */
static void *open_below(void)
{
    const char *insight = getenv("INKLING_FOREIGN_INSIGHT");
    void *library = dlopen("libmpi_abi.so.1", RTLD_NOW | RTLD_LOCAL), *between;

    if (!library)
        foreign_fail(dlerror());
    if (!insight || !*insight)
        return library;
    between = dlopen(insight, RTLD_NOW | RTLD_LOCAL);
    if (!between)
        foreign_fail(dlerror());
    return between;
}

__attribute__((constructor)) static void load(void)
{
    void *library = open_below();
    char text[200];

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        void *function = dlsym(library, names[i].name);
        if (!function) {
            snprintf(text, sizeof text,
                     "libmpi_abi.so.1 has no %s: it is older than the library for " FOREIGN_NAME " programs",
                     names[i].name);
            foreign_fail(text);
        }
        memcpy((char *)&real + names[i].at, &function, sizeof function);
    }
}

int unsupported(const char *name)
{
    static _Atomic int said; /* relaxed: it only keeps a program from saying it in a loop */

    if (atomic_fetch_add_explicit(&said, 1, memory_order_relaxed) < 10)
        fprintf(stderr,
                "inkling: %s of " FOREIGN_NAME
                " is not supported; it returns MPI_ERR_UNSUPPORTED_OPERATION\n",
                name);
    return error_out(MPI_ERR_UNSUPPORTED_OPERATION);
}
