/* local: the memory of this job on this host, and this process's place in it. */
#ifndef NET_SHM_LOCAL_H
#define NET_SHM_LOCAL_H

#include "net/shm/link.h"
#include "net/shm/watch.h"

struct local_process {
    struct link_segment segment;
    struct arena_head *head; /* of this process; NULL: there is no memory: who is alone needs none */
    struct staging staging;  /* of this process */
    struct watcher watchers[NET_LANES];
};

extern struct local_process local;

int local_open(void);
int local_open_lanes(void);
void local_close(void);

/* Guests have come or gone: they take part in the race for the cores. */
void local_count_guests(void);

#endif
