/* attach: lets processes of other jobs on this host use this process's memory, and reports when they end.
 *
 * After attach_open this process listens on a Unix socket, whose abstract name follows from its card; a
 * thread serves it. A process that attaches, the *guest*, sends its card. It receives the descriptor and the
 * sizes of this job's memory, and a slot in this process's arena (arena.h), whose ring nobody else writes to.
 * Both keep the connection. When one of them ends, for whatever reason, the other's thread sees the
 * connection close. shm.c reports the loss once it has received all that the process had sent.
 *
 * Only processes of the same user may attach. What a guest sends is untrusted: anything but a card ends the
 * connection.
 *
 * Threads: one thread calls attach_open and attach_close, any thread the others. Nothing here takes the lock
 * of a lane.
 */
#ifndef NET_SHM_ATTACH_H
#define NET_SHM_ATTACH_H

#include "net/card.h"
#include "net/shm/arena.h"

/* plan: of this process's arena, constant from now on. Idempotent. */
int attach_open(const struct arena_plan *plan);
void attach_close(void);
bool attach_is_open(void);

/* What an attaching process receives. The descriptor is the caller's. */
struct attach_reply {
    struct arena_plan plan;
    int slot;
};

/* Attaches to a process. Waits for the answer, for at most inkling_connect_timeout. An error's note says what
 * is wrong; MPI_ERR_PROC_ABORTED: the process has ended. */
int attach_to(const struct card *card, struct attach_reply *reply);

/* The guest in this slot; false: the slot is free. */
bool attach_guest(int slot, struct card *card);
/* The slot of this card's process in this process's arena; -1: it has none. */
int attach_slot_of(const struct card *card);
/* The guest is lost and its ring cleared: frees the slot. */
void attach_free_slot(int slot);
int attach_count_guests(void);

/* A connection that has closed. */
struct attach_loss {
    struct card card;
    int slot;            /* of the guest; -1: this process had attached to the other */
    uint32_t connection; /* for attach_take_lost */
};

/* Whether there is a loss; costs one load. Losses of processes of this job (deaths.h) are counted with those. */
bool attach_has_lost(void);
void attach_count_losses(int change);
/* The next loss. It stays until attach_take_lost removes it. */
bool attach_look_lost(struct attach_loss *loss);
void attach_take_lost(const struct attach_loss *loss);

#endif
