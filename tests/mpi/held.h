/* held: what a process holds at a time, for tests that ask whether something stays behind. */
#ifndef TESTS_MPI_HELD_H
#define TESTS_MPI_HELD_H

#include "mpi/failing_memory.h"

#include <dirent.h>

struct held {
    long blocks, descriptors, mappings;
};

static long open_descriptors(void)
{
    DIR *folder = opendir("/proc/self/fd");
    long count = 0;

    CHECK(folder);
    while (readdir(folder))
        count++;
    closedir(folder);
    return count;
}

/* Those of the job's memory: malloc has mappings of its own. */
static long shared_mappings(void)
{
    FILE *file = fopen("/proc/self/maps", "r");
    char line[512];
    long count = 0;

    CHECK(file);
    while (fgets(line, sizeof line, file))
        count += strstr(line, "rw-s") != NULL;
    fclose(file);
    return count;
}

static struct held held_now(void)
{
    return (struct held){live, open_descriptors(), shared_mappings()};
}

#endif
