/* home: the memory of this job on this host, and this process's arena in it. */
#ifndef NET_SHM_HOME_H
#define NET_SHM_HOME_H

#include "net/shm/link.h"

struct home {
    struct site site;
    struct arena mine;
    struct staging staging; /* this process's */
};

extern struct home home;

/* Whether there is any: a job of one process needs none, until it meets another. */
static inline bool home_is_open(void)
{
    return home.mine.head != 0;
}

int home_open(void);
void home_close(void);

/* Guests have come or gone: they take part in the race for the cores. */
void home_count_guests(void);

#endif
