/* watch: how a process takes in what comes through its rings, lane by lane.
 *
 * Only rings that someone has used lately are polled, the *watched* ones. A sender whose ring is not watched
 * sets a bit in the lane's doorbell (bell.h), and the next poll watches it. When too many are watched, the
 * silent ones are dropped and must ring again.
 *
 * Lock: a watcher is used under the lock of its lane.
 */
#ifndef NET_SHM_WATCH_H
#define NET_SHM_WATCH_H

#include "net/net.h"
#include "net/shm/arena.h"
#include "net/shm/bell.h"

enum {
    WATCH_LIMIT = 64,   /* rings polled at once; beyond it the idle ones wait for their doorbell again */
    WATCH_STAGED = 0x80 /* bit of a message's kind in the ring: its payload is a struct staged */
};

/* A ring that is polled. */
struct watch {
    struct ring ring;
    struct peer *from;
    int slot;              /* of the sender */
    uint64_t last_poll;    /* number of the poll that last found a message */
    struct message staged; /* the message that is out, if its payload lies in a chunk */
};

/* What comes to this process in one lane. */
struct watcher {
    _Alignas(128) struct arena arena; /* the own one; arena.lane is NULL while it is not open */
    const struct arena_plan *plan;
    struct arena_head *head;
    const struct staging *staging;
    int lane;
    struct ring *readers; /* by slot; where each ring stands while it is not watched; guests': once mapped */
    struct watch watch[WATCH_LIMIT];
    int count, next;               /* next: where the next poll begins */
    struct watch *arrived;         /* where the arrival that is out came from ... */
    const struct message *message; /* ... and itself */
    uint64_t polls;
};

/* `head` and `staging` are the process's. Takes the lane's arena over, on error too. */
int watch_open(struct watcher *w, const struct arena_plan *plan, int lane, const struct arena *arena,
               struct arena_head *head, const struct staging *staging);
void watch_close(struct watcher *w);

/* The transport's poll and release. */
bool watch_poll(struct watcher *w, struct arrival *arrival);
void watch_release(struct watcher *w);
/* How many cells of the ring from this process have been released. */
uint64_t watch_taken(const struct watcher *w, int slot);

/* Whether all that was sent from this slot has been released; it is watched then. */
bool watch_has_all(struct watcher *w, int slot);
/* The guest of this slot, who was watched and has sent all, is gone. */
void watch_see_off(struct watcher *w, int slot);

#endif
