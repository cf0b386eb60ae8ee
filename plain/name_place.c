#include "plain/name_directory.h"

#include "plain/fail.h"

#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    OPEN_ATTEMPTS = 100 /* the directory may be removed between two steps, with its last name */
};

static const char ending[] = "XXXXXX";

const char *name_place_given;

/* The next whose name is that of the first, a hyphen and six characters. */
static bool next_in_tmp(struct name_place *p)
{
    int length = snprintf(p->own, sizeof p->own, "/tmp/inkling-%lu-", (unsigned long)geteuid());
    const char *begin = p->own + strlen("/tmp/");

    if (!p->list)
        p->list = opendir("/tmp");
    for (struct dirent *file; p->list && (file = readdir(p->list));)
        if (strlen(file->d_name) == strlen(begin) + strlen(ending) &&
            strncmp(file->d_name, begin, strlen(begin)) == 0) {
            memcpy(p->own + length, file->d_name + strlen(begin), sizeof ending);
            return true;
        }
    name_place_end(p);
    return false;
}

bool name_place_next(struct name_place *p)
{
    unsigned long user = geteuid();
    unsigned step = p->steps++;

    p->path = name_place_given;
    p->is_given = p->path != NULL;
    if (p->is_given)
        return step == 0;
    p->path = p->own;
    if (step > 1)
        return next_in_tmp(p);
    if (step == 0)
        snprintf(p->own, sizeof p->own, "/tmp/inkling-%lu", user);
    else
        snprintf(p->own, sizeof p->own, "/run/user/%lu/inkling", user);
    return true;
}

int name_place_make(struct name_place *p)
{
    snprintf(p->own, sizeof p->own, "/tmp/inkling-%lu-%s", (unsigned long)geteuid(), ending);
    if (!mkdtemp(p->own))
        return fail(MPI_ERR_OTHER, "cannot make a directory of names in /tmp: %s; set INKLING_NAME_DIRECTORY",
                    strerror(errno));
    return MPI_SUCCESS;
}

void name_place_end(struct name_place *p)
{
    if (p->list)
        closedir(p->list);
    p->list = NULL;
}

static int check_directory(int fd, const char *path)
{
    struct stat info;

    if (fstat(fd, &info) < 0)
        return fail(MPI_ERR_OTHER, "the directory of names %s: %s", path, strerror(errno));
    if (info.st_uid != geteuid())
        return fail(MPI_ERR_ACCESS,
                    "the directory of names %s belongs to user %lu, not to you; set INKLING_NAME_DIRECTORY",
                    path, (unsigned long)info.st_uid);
    if (info.st_mode & (S_IWGRP | S_IWOTH))
        return fail(MPI_ERR_ACCESS,
                    "others may write to the directory of names %s; chmod 700 it, or set "
                    "INKLING_NAME_DIRECTORY",
                    path);
    return MPI_SUCCESS;
}

int name_place_open(const char *path, bool make, int *fd)
{
    int error, opened = -1;

    *fd = -1;
    for (int i = 0; i < OPEN_ATTEMPTS && opened < 0; i++) {
        if (make && mkdir(path, 0700) < 0 && errno != EEXIST)
            break;
        opened = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (opened < 0 && (errno != ENOENT || !make))
            break;
    }
    if (opened < 0 && errno == ENOENT && !make)
        return MPI_SUCCESS;
    if (opened < 0)
        return fail(MPI_ERR_OTHER, "the directory of names %s: %s; set INKLING_NAME_DIRECTORY", path,
                    strerror(errno));
    error = check_directory(opened, path);
    if (error)
        close(opened);
    else
        *fd = opened;
    return error;
}
