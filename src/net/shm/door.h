/* door: how processes of other jobs on this host get at this one's memory, and learn of its end.
 *
 * A process that means to meet others than those of its job has a door: a Unix socket, whose abstract name
 * follows from the process's card, and a thread that answers. A visitor shows his card and is given the
 * descriptor and the sizes of this job's memory and a seat in this process's arena (arena.h), whose ring
 * nobody else writes to. Both keep the connection. When one of them ends, for whatever reason, the other's
 * thread sees the connection close; shm.c tells of the loss once it has taken in all that the process had
 * sent.
 *
 * Only processes of the same user are let in. What a visitor says is untrusted: anything but a card shuts the
 * door.
 *
 * Threads: door_open, door_close by one thread; all others by any. Nothing here takes the lock of a lane.
 */
#ifndef NET_SHM_DOOR_H
#define NET_SHM_DOOR_H

#include "net/card.h"
#include "net/shm/arena.h"

/* plan: of this process's arena, constant from now on. Idempotent. */
int door_open(const struct arena_plan *plan);
void door_close(void);
bool door_is_open(void);

/* What a visitor is given. The descriptor is the caller's. */
struct welcome {
    struct arena_plan plan;
    int seat;
};

/* Waits for the answer, for at most inkling_connect_timeout. An error says what is wrong;
 * MPI_ERR_PROC_ABORTED: the process is not there any more. */
int door_visit(const struct card *card, struct welcome *welcome);

/* The guest who was given this seat; false: nobody has it. */
bool door_guest(int seat, struct card *card);
/* The seat of this process here; -1: it has none. */
int door_seat_of(const struct card *card);
/* The guest is lost, and his ring cleared: the seat may be given again. */
void door_free_seat(int seat);
/* How many guests there are. */
int door_count_guests(void);

/* A connection that has closed. */
struct loss {
    struct card card;
    int seat;            /* of the guest; -1: this process was the visitor */
    uint32_t connection; /* the door's own */
};

/* Whether there is a loss: a load. */
bool door_has_lost(void);
/* The next loss, which stays until it is taken, once. */
bool door_look_lost(struct loss *loss);
void door_take_lost(const struct loss *loss);

#endif
