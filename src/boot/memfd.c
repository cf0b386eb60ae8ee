#include "boot/memfd.h"

#include "base/fail.h"

#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <unistd.h>

/* In memory where possible. */
static const char *const folders[] = {"/dev/shm", "/run", "/tmp", "/var/tmp"};

/* A page of a file for which the file system has no room kills who touches it. */
static bool memfd_has_room(const char *folder, size_t room)
{
    struct statvfs info;

    return statvfs(folder, &info) == 0 && (uint64_t)info.f_bavail * info.f_frsize >= room;
}

static int open_in(const char *folder)
{
    int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC | O_EXCL, 0600);
    char path[64];

    if (fd >= 0)
        return fd;
    snprintf(path, sizeof path, "%s/inkling-XXXXXX", folder);
    fd = mkostemp(path, O_CLOEXEC); /* the file system may have no O_TMPFILE */
    if (fd >= 0)
        unlink(path);
    return fd;
}

int memfd_open(size_t room)
{
    int fd = memfd_create("inkling", MFD_CLOEXEC), refused = errno;

    for (size_t i = 0; fd < 0 && i < sizeof folders / sizeof *folders; i++)
        if (memfd_has_room(folders[i], room))
            fd = open_in(folders[i]);
    if (fd < 0)
        fail(MPI_ERR_OTHER,
             "no shared memory: memfd_create: %s, and no file can be made in a folder with %zu KiB free "
             "(/dev/shm, /run, /tmp, /var/tmp)",
             strerror(refused), room / 1024);
    return fd;
}
