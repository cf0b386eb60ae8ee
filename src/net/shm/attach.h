/* attach: how processes of other jobs on this host get at this one's memory, and learn of its end.
 *
 * A process that means to meet others than those of its job has a door: a Unix socket, whose abstract name
 * follows from the process's card, and a thread that answers. A visitor shows his card and is given the
 * descriptor and the sizes of this job's memory and a slot in this process's arena (arena.h), whose ring
 * nobody else writes to. Both keep the connection. When one of them ends, for whatever reason, the other's
 * thread sees the connection close; shm.c tells of the loss once it has taken in all that the process had
 * sent.
 *
 * Only processes of the same user are let in. What a visitor says is untrusted: anything but a card shuts the
 * door.
 *
 * Threads: attach_open, attach_close by one thread; all others by any. Nothing here takes the lock of a lane.
 */
#ifndef NET_SHM_ATTACH_H
#define NET_SHM_ATTACH_H

#include "net/card.h"
#include "net/shm/arena.h"

/* plan: of this process's arena, constant from now on. Idempotent. */
int attach_open(const struct arena_plan *plan);
void attach_close(void);
bool attach_is_open(void);

/* What a visitor is given. The descriptor is the caller's. */
struct attach_reply {
    struct arena_plan plan;
    int slot;
};

/* Waits for the answer, for at most inkling_connect_timeout. An error says what is wrong;
 * MPI_ERR_PROC_ABORTED: the process is not there any more. */
int attach_to(const struct card *card, struct attach_reply *reply);

/* The guest who was given this slot; false: nobody has it. */
bool attach_guest(int slot, struct card *card);
/* The slot of this process here; -1: it has none. */
int attach_slot_of(const struct card *card);
/* The guest is lost, and his ring cleared: the slot may be given again. */
void attach_free_slot(int slot);
/* How many guests there are. */
int attach_count_guests(void);

/* A connection that has closed. */
struct attach_loss {
    struct card card;
    int slot;            /* of the guest; -1: this process was the visitor */
    uint32_t connection; /* the door's own */
};

/* Whether there is a loss: a load. */
bool attach_has_lost(void);
/* The next loss, which stays until it is taken, once. */
bool attach_look_lost(struct attach_loss *loss);
void attach_take_lost(const struct attach_loss *loss);

#endif
