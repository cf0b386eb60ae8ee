#include "net/ofi/stand_in.h"

#include "net/ofi/narrow_init.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct {
    const char *device, *library;
    void *handle; /* NULL: not loaded */
} stand_in[] = {{"hfi1*", "psm2_stand_in.so", NULL}, {"ipath*", "psm_stand_in.so", NULL}};

enum {
    STAND_INS = sizeof stand_in / sizeof *stand_in
};

static bool stand_in_has_device(const char *devices, const char *name)
{
    char pattern[PATH_MAX];

    return snprintf(pattern, sizeof pattern, "%s/%s", devices, name) >= (int)sizeof pattern ||
           narrow_init_finds(pattern);
}

/* They lie in a folder beside this library. */
static void *load(const char *name)
{
    char own[PATH_MAX], path[PATH_MAX];
    Dl_info here;

    if (!dladdr(stand_in, &here) || !here.dli_fname || !realpath(here.dli_fname, own) || !strrchr(own, '/'))
        return NULL;
    *strrchr(own, '/') = 0;
    return snprintf(path, sizeof path, "%s/inkling/stand-in/%s", own, name) < (int)sizeof path
               ? dlopen(path, RTLD_LAZY | RTLD_LOCAL)
               : NULL;
}

bool stand_in_load(const char *devices)
{
    bool any = false;

    for (int i = 0; i < STAND_INS; i++) {
        if (!stand_in_has_device(devices, stand_in[i].device))
            stand_in[i].handle = load(stand_in[i].library);
        any = any || stand_in[i].handle;
    }
    return any;
}

void stand_in_unload(void)
{
    for (int i = 0; i < STAND_INS; i++) {
        if (stand_in[i].handle)
            dlclose(stand_in[i].handle);
        stand_in[i].handle = NULL;
    }
}
