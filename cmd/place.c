#include "cmd/place.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* directory/relative, if directory/relative/file exists. */
static bool try(const char *directory, const char *relative, const char *file, char *path)
{
    int length = snprintf(path, PLACE_SIZE, "%s/%s/%s", directory, relative, file);
    bool found = length < PLACE_SIZE && access(path, R_OK) == 0;

    snprintf(path, PLACE_SIZE, "%s/%s", directory, relative);
    return found;
}

/* Removes the last part of a path. */
static void go_up(char *path)
{
    char *slash = strrchr(path, '/');

    if (slash)
        *slash = 0;
}

bool place_find(struct install_place *place)
{
    char root[PLACE_SIZE] = "";
    bool library, header;

    if (readlink("/proc/self/exe", root, sizeof root - 1) < 0)
        snprintf(root, sizeof root, "/usr/local/bin/mpicc"); /* without /proc: the default installation */
    go_up(root);
    snprintf(place->bin, sizeof place->bin, "%s", root);
    go_up(root);
    try(root, "share/inkling", "inkling.supp", place->share);
    library = try(root, "lib", "libmpi_abi.so", place->lib);
    place->in_build_tree = try(root, "generated/include", "mpi.h", place->include);
    header = place->in_build_tree || try(root, "include", "mpi.h", place->include);
    return library && header;
}
