/* hosted MODULE: an interpreter, as far as MPI goes: its program is in a module, and only that needs a library of MPI. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    void *module = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL, *found;
    int (*hosted_main)(int, char **);

    found = module ? dlsym(module, "hosted_main") : NULL;
    if (!found) {
        fprintf(stderr, "hosted: %s\n", dlerror());
        return 2;
    }
    memcpy(&hosted_main, &found, sizeof found);
    return hosted_main(argc - 1, argv + 1);
}
