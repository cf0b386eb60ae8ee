#include "plain/library.h"

#include "plain/fail.h"
#include "plain/privilege.h"

#include <dlfcn.h>
#include <mpi.h>
#include <string.h>

/* *name: the name of the library that was opened, or the first that was tried. */
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
    void *library;
    int error = privilege_check_library(*libraries);

    if (error)
        return error;
    library = library_open_first(libraries, &name);
    if (!library)
        return fail(MPI_ERR_UNSUPPORTED_OPERATION, "%s cannot be opened", name);
    for (; functions->name; functions++) {
        void *address = dlsym(library, functions->name);

        if (!address) {
            dlclose(library);
            return fail(MPI_ERR_UNSUPPORTED_OPERATION, "%s has no %s: it is of another version", name,
                        functions->name);
        }
        memcpy(functions->place, &address, sizeof address); /* a function's address, the way POSIX wants it */
    }
    return MPI_SUCCESS;
}
