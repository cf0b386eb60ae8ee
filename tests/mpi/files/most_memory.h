/* most_memory: how much memory a process has had at once. */
#ifndef TESTS_MOST_MEMORY_H
#define TESTS_MOST_MEMORY_H

#include "check.h"

#include <fcntl.h>
#include <unistd.h>

/* The most memory that this process has had at once, since the last call of forget_most. */
static inline long most_kib(void)
{
    char line[256];
    long kib = 0;
    FILE *status = fopen("/proc/self/status", "r");

    CHECK(status != NULL);
    while (fgets(line, sizeof line, status))
        sscanf(line, "VmHWM: %ld", &kib);
    fclose(status);
    CHECK(kib > 0);
    return kib;
}

static inline void forget_most(void)
{
    int fd = open("/proc/self/clear_refs", O_WRONLY);

    CHECK(fd >= 0);
    CHECK_EQ(write(fd, "5", 1), 1);
    close(fd);
}

#endif
