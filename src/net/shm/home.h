/* home: the memory of this job on this host, and this process's place in it. */
#ifndef NET_SHM_HOME_H
#define NET_SHM_HOME_H

#include "net/shm/link.h"
#include "net/shm/watch.h"

struct home {
    struct site site;
    struct arena_head *head; /* of this process; NULL: there is no memory: who is alone needs none */
    struct staging staging;  /* of this process */
    struct watcher watchers[NET_LANES];
};

extern struct home home;

int home_open(void);
int home_open_lanes(void);
void home_close(void);

/* Guests have come or gone: they take part in the race for the cores. */
void home_count_guests(void);

#endif
