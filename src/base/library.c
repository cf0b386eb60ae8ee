#include "base/library.h"

#include "base/fail.h"

#include <dlfcn.h>
#include <mpi.h>
#include <string.h>

/* Also gives the name that it was found by, or the first that was tried. */
static void *library_open_first(const char *const *libraries, const char **name)
{
    void *library = NULL;

    *name = *libraries;
    for (; *libraries && !library; libraries++) {
        library = dlopen(*libraries, RTLD_NOW | RTLD_LOCAL);
        if (library)
            *name = *libraries;
    }
    return library;
}

int library_load(const char *const *libraries, const struct library_function *functions)
{
    const char *name;
    void *library = library_open_first(libraries, &name);

    if (!library)
        return fail(MPI_ERR_UNSUPPORTED_OPERATION, "%s cannot be opened", name);
    for (; functions->name; functions++) {
        void *address = dlsym(library, functions->name);

        if (!address) {
            dlclose(library);
            return fail(MPI_ERR_UNSUPPORTED_OPERATION, "%s has no %s: it is of another version", name,
                        functions->name);
        }
        memcpy(functions->place, &address, sizeof address); /* a function's address, as POSIX has it */
    }
    return MPI_SUCCESS;
}
