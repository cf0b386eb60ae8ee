#include "plain/clock.h"

#include <time.h>

static uint64_t clock_read(clockid_t clock)
{
    struct timespec now;

    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint64_t clock_ns(void)
{
    return clock_read(CLOCK_MONOTONIC);
}

uint64_t clock_thread_ns(void)
{
    return clock_read(CLOCK_THREAD_CPUTIME_ID);
}
