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

/* Under mpiexec --check and --advise that library stands between. It is preloaded behind this one. */
static void *find_below(void *library, void *insight, const char *name)
{
    void *function = insight ? dlsym(insight, name) : NULL;

    return function ? function : dlsym(library, name);
}

/* The library of the checks is for programs of the standard's ABI: it has to come next after this one. A tool may be before both. */
static void check_order(void *insight)
{
    if (insight && dlsym(RTLD_NEXT, "MPI_Init") != dlsym(insight, "MPI_Init"))
        foreign_fail("this program loads the library of " FOREIGN_NAME
                     " while it runs, which mpiexec cannot see: add --abi " FOREIGN_WORD
                     " to --check or --advise");
}

/* A module that the program opens may be for the other ABI: then the names of one library would reach the other. */
static void check_alone(void)
{
#ifdef FOREIGN_HAS_POINTERS
    static const char *const others[] = {"libmpich.so.12", "libmpi.so.12"};
#else
    static const char *const others[] = {"libmpi.so.40", "libmpi_mpifh.so.40"};
#endif
    char text[160];

    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (dlopen(others[i], RTLD_LAZY | RTLD_NOLOAD)) {
            snprintf(text, sizeof text,
                     "the library of " FOREIGN_NAME " and %s are in this process, and two MPI libraries "
                     "cannot be: build all of it with one MPI",
                     others[i]);
            foreign_fail(text);
        }
}

/* MPICH keeps so many bytes of a message within a host whose receive is not posted, and its programs may rely on that. Open MPI keeps
 * 4,040, fewer than Inkling. */
static void keep_as_many(void)
{
#ifndef FOREIGN_HAS_POINTERS
    setenv("INKLING_EAGER_LIMIT", "8255", 0);
#endif
}

__attribute__((constructor)) static void load(void)
{
    void *library = dlopen("libmpi_abi.so.1", RTLD_NOW | RTLD_LOCAL), *insight;
    char text[200];

    if (!library)
        foreign_fail(dlerror());
    check_alone();
    keep_as_many();
    insight = dlopen("libinkling_insight.so", RTLD_NOW | RTLD_NOLOAD);
    check_order(insight);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        void *function = find_below(library, insight, names[i].name);
        if (!function) {
            snprintf(text, sizeof text,
                     "libmpi_abi.so.1 has no %s: it is older than the library for " FOREIGN_NAME " programs",
                     names[i].name);
            foreign_fail(text);
        }
        memcpy((char *)&real + names[i].at, &function, sizeof function);
    }
    where_find_mark();
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
