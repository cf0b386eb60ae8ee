#include "plain/memfd.h"

#include "plain/fail.h"

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

/* Folders in memory first. */
static const char *const folders[] = {"/dev/shm", "/run", "/tmp", "/var/tmp"};

/* If the file system has no room for a page of a file, touching the page kills the process. */
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
    int fd = memfd_create("inkling", MFD_CLOEXEC | MFD_ALLOW_SEALING), refused = errno;

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

void memfd_seal(int fd)
{
    fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL); /* others may have done it */
}
