/* local: the memory of this job on this host, and this process's part of it. */
#ifndef NET_SHM_LOCAL_H
#define NET_SHM_LOCAL_H

#include "net/shm/link.h"
#include "net/shm/watch.h"

struct local_process {
    struct link_segment segment;
    struct arena_head *head; /* of this process; NULL: no memory, since a single process needs none */
    struct staging staging;  /* of this process */
    struct watcher watchers[NET_LANES];
    struct host_page *page; /* mapped; NULL: no memory */
    void *agreements;       /* consensus.c; NULL: the job does not survive deaths */
};

extern struct local_process local;

int local_open(void);
int local_open_lanes(void);
void local_close(void);

/* Counts the attached processes of other jobs again: they compete for the cores. */
void local_count_guests(void);

#endif
