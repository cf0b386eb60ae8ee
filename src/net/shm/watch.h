/* watch: receives the messages of a process's rings, lane by lane.
 *
 * Only rings that were used lately are polled, the *watched* ones. A sender whose ring is not watched sets a
 * bit in the lane's doorbell (bell.h), and the next poll watches the ring. When too many rings are watched,
 * the idle ones are dropped and must ring again.
 *
 * Lock: a watcher is used under the lock of its lane.
 */
#ifndef NET_SHM_WATCH_H
#define NET_SHM_WATCH_H

#include "net/net.h"
#include "net/shm/arena.h"
#include "net/shm/bell.h"

enum {
    WATCH_LIMIT = 64,   /* rings polled at once; beyond it idle ones are dropped until their doorbell rings */
    WATCH_STAGED = 0x80 /* bit of a message's kind in the ring: its payload is a struct staged */
};

/* A ring that is polled. */
struct watch {
    struct ring ring;
    struct peer *from;
    int slot;              /* of the sender */
    uint64_t last_poll;    /* number of the poll that last found a message */
    struct message staged; /* the message not yet released, if its payload lies in a chunk */
};

/* The incoming messages of one lane. */
struct watcher {
    _Alignas(128) struct arena arena; /* this process's; arena.lane is NULL while it is not open */
    const struct arena_plan *plan;
    struct arena_head *head;
    const struct staging *staging;
    int lane;
    struct ring *readers; /* by slot: position in each ring that is not watched; in guests' rings once they
                           * are mapped */
    struct watch watch[WATCH_LIMIT];
    int count, next;               /* next: where the next poll begins */
    struct watch *arrived;         /* ring of the message not yet released ... */
    const struct message *message; /* ... and the message itself */
    uint64_t polls;
    uint64_t lacks_since; /* since then a sender could not be met, for lack of memory; 0: all were */
};

/* `head` and `staging` are this process's. Takes over the lane's arena, on error too. */
int watch_open(struct watcher *w, const struct arena_plan *plan, int lane, const struct arena *arena,
               struct arena_head *head, const struct staging *staging);
void watch_close(struct watcher *w);

/* The transport's poll and release. */
bool watch_poll(struct watcher *w, struct arrival *arrival);
void watch_release(struct watcher *w);
/* How many cells of the ring of this slot have been released. */
uint64_t watch_taken(const struct watcher *w, int slot);

/* Watches the ring of this slot. True: all messages sent through it have been released. */
bool watch_has_all(struct watcher *w, int slot);
/* The guest of this slot has ended: clears its ring, which is watched and empty. */
void watch_see_off(struct watcher *w, int slot);

#endif
