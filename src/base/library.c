#include "base/library.h"

#include <dlfcn.h>
#include <string.h>

static void *open_first(const char *const *libraries)
{
    void *library = NULL;

    for (; *libraries && !library; libraries++)
        library = dlopen(*libraries, RTLD_NOW | RTLD_LOCAL);
    return library;
}

bool library_load(const char *const *libraries, const struct library_function *functions)
{
    void *library = open_first(libraries);

    for (; library && functions->name; functions++) {
        void *address = dlsym(library, functions->name);

        if (!address) {
            dlclose(library);
            return false;
        }
        memcpy(functions->place, &address, sizeof address); /* a function's address, as POSIX has it */
    }
    return library;
}
