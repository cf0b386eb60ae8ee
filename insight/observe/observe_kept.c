#include "insight/observe/observe.h"

#include "insight/board/process_record.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static void name_of_rank(int rank, char path[PATH_MAX])
{
    snprintf(path, PATH_MAX, "%.4000s/profile.%d", getenv("INKLING_JOB_ADVISE"), rank);
}

static bool may_lose_ranks(void)
{
    int *value, flag = 0;

    return process_is_inkling() && !real.Comm_get_attr(MPI_COMM_WORLD, MPIX_FT, &value, &flag) && flag &&
           *value;
}

static struct profile *map_profile(const char *path, int flags)
{
    int fd = open(path, flags | O_RDWR | O_CLOEXEC, 0666);
    struct profile *p = MAP_FAILED;

    if (fd >= 0 && (!(flags & O_CREAT) || !ftruncate(fd, PROFILE_BYTES)))
        p = mmap(NULL, PROFILE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (fd >= 0)
        close(fd);
    return p == MAP_FAILED ? NULL : p;
}

struct profile *observe_kept_make(void)
{
    char path[PATH_MAX];

    observe.is_kept = may_lose_ranks();
    if (!observe.is_kept)
        return calloc(1, sizeof(struct profile));
    mkdir(getenv("INKLING_JOB_ADVISE"), 0777);
    name_of_rank(observe.rank, path);
    return map_profile(path, O_CREAT | O_TRUNC);
}

void observe_kept_free(struct profile *p)
{
    if (observe.is_kept && p)
        munmap(p, PROFILE_BYTES);
    else
        free(p);
}

void observe_kept_take(void)
{
    char path[PATH_MAX];

    name_of_rank(observe.rank, path);
    if (observe.is_kept)
        unlink(path);
}

void observe_kept_merge(struct profile *all)
{
    for (int rank = 0; observe.is_kept && rank < observe.size; rank++) {
        char path[PATH_MAX];
        struct stat info;
        struct profile *dead;

        name_of_rank(rank, path);
        dead = stat(path, &info) || info.st_size != PROFILE_BYTES ? NULL : map_profile(path, 0);
        unlink(path);
        if (dead && strcmp(dead->magic, all->magic) == 0) {
            observe_close_sites(dead);
            profile_merge(all, dead);
        }
        if (dead)
            munmap(dead, PROFILE_BYTES);
    }
}
