/* shm_coll: collectives of ranks of one host through mailboxes in shared memory, up to some ten thousand
 * bytes. Larger ones use mailboxes for synchronization only and move their data as direct.h says.
 *
 * Every operation has a sequence number, counted up in the order of calls. A rank publishes its contribution
 * to operation k in its mailbox (mailbox.h), and then polls the mailboxes of the ranks whose data it needs:
 * one cache-line handoff, no message, no matching, and the fewest wake-ups where ranks outnumber cores. Some
 * calls take two sequence numbers, since not every rank has to read all of what all others contribute. A
 * longer allreduce is combined in pieces: each rank combines one piece, in place of that piece of its
 * contribution, and the others read it there. A barrier or an allreduce of many ranks is a reduction to rank
 * 0 and a broadcast from it. A long broadcast takes a sequence number for each portion: the root fills
 * segments ahead while the others copy out.
 *
 * Blocking collectives have mailboxes of their own, and nonblocking ones have theirs, so neither wait for
 * the other. Nonblocking requests complete in the order of their sequence numbers, since collectives may
 * synchronize (shm_request.c). Mailboxes are made in a collective call that may wait for the others, after a
 * few that could have used them: a program with nonblocking calls alone sends messages. Long vectors use
 * large mailboxes, and broadcasts between groups some between.
 *
 * Each persistent collective has mailboxes to itself, as small as it needs (persistent_slot.h), so its
 * starts have sequence numbers of their own, whatever else is started before them. Where all ranks assert
 * that they start them in the same order (mpi_assert_strict_persistent_collective_ordering), they share
 * mailboxes like nonblocking ones, and a request takes no shared memory.
 *
 * A line's tag says which collective it is for, with which root and operation, and how many bytes. Where persistent
 * collectives share mailboxes it says as well which of them was started: all ranks number these in the order of
 * making. Ranks that call different collectives find out and get an error. A rank that waits long publishes its header, if it has
 * not yet; a rank that finds an error publishes that. So no rank waits for ever for one that is here.
 *
 * A rank that has waited long sleeps until it is woken. Where ranks outnumber cores it naps, ever longer, unless the call is
 * direct: wake-ups would cost the others more than a short call takes.
 */
#ifndef COLL_SHM_SHM_COLL_H
#define COLL_SHM_SHM_COLL_H

#include "coll/coll_call.h"
#include "coll/sched/schedule.h"

enum {
    DESCRIPTOR_BYTES = 32, /* of a rank's buffers, see direct.h */
    TAG_FAILED = 0xffff,   /* of a line: what its owner should have published is not there */
    TAG_IRREGULAR = 0x400, /* bits above collective and root, see irregular.h */
    TAG_MESSAGES = 0x800,
    TAG_OP_SHIFT = 12,    /* the bits above: the operation, 0 without one, and ... */
    TAG_OP_USER = 0xf,    /* ... the same for all operations of users */
    TAG_NUMBER_SHIFT = 16 /* above: of a persistent one that shares mailboxes, constant; else 0 */
};

enum engine_stage {
    STAGE_DONE,
    STAGE_WHOLE,   /* all at once */
    STAGE_COMBINE, /* each rank combines its piece ... */
    STAGE_PIECES,  /* ... and takes those of the others */
    STAGE_UP,      /* rank 0 polls the others, ... */
    STAGE_DOWN,    /* ... and they poll it */
    STAGE_EXPOSE,  /* direct.h: descriptors of the buffers; then each rank moves its part, ... */
    STAGE_RELEASE  /* ... and waits until nobody accesses its buffers */
};

/* Why the communicator has no mailboxes, in a few words; NULL: it may have some. */
const char *shm_coll_absence(const struct comm *comm);
/* Collective: what the infos of a persistent collective say. Sets the bits in which a rank's vote differs from this
 * rank's, `usual` being the vote of a rank without one. NULL: this rank has none. It waits for nobody then, unless some
 * rank is 16 such calls behind. False, on all ranks: there is no shared memory. */
bool shm_coll_vote(struct comm *comm, const uint64_t *vote, uint64_t usual, uint64_t *differs);
/* The hints of comm have changed, on all its ranks. */
void shm_coll_adapt(struct comm *comm);

/* Whether the table chooses mailboxes for this call whatever its other traits. The answer is kept with the
 * communicator; false before it has one. */
bool shm_coll_is_chosen(const struct comm *comm, const struct coll_call *call, size_t bytes);
/* Keeps it, for a collective of which a call has found it false. */
void shm_coll_learn(struct comm *comm, const struct choice_list *list);

/* Which of TRAIT_SHM the call has: whether ranks that share memory may carry it out there. `bytes`: of the
 * largest buffer of a rank; hints: of the call. All ranks get the same answer. */
unsigned shm_coll_traits(struct comm *comm, const struct coll_call *call, const struct hints *hints,
                         size_t bytes);
/* Gives the call the mailboxes that it uses. False, on all ranks: there are none, and it uses messages. A
 * call that may wait for others may make them. Those of a persistent one are its request's, which
 * shm_coll_do makes. */
bool shm_coll_open(struct comm *comm, struct coll_call *call, enum form form, size_t bytes);
/* Does the call, or starts it, or makes the persistent request for it. */
int shm_coll_do(struct comm *comm, struct coll_call *call, enum form form, struct request **request);

/* engine.c: begins a call. engine_advance goes on with it: true when it is over and call->error is set.
 * engine_publish is the first thing that it does: true when nothing is left to publish. */
void engine_begin(struct coll_call *call);
bool engine_publish(struct coll_call *call);
bool engine_advance(struct coll_call *call);
/* Whether it cannot publish until others have completed earlier operations. */
bool engine_waits_for_done(const struct coll_call *call);

/* Packs `bytes` bytes of a block from byte `first` on, or unpacks so many as it has, for irregular.c. */
void engine_copy_in(struct coll_call *call, struct coll_block in, size_t first, unsigned char *to,
                    size_t bytes);
void engine_copy_out(struct coll_call *call, const void *from, struct coll_block to);
/* Prefetches all cache lines of a payload at once: copying alone fetches a few at a time. */
void engine_prefetch(const unsigned char *data, size_t bytes);
/* Copies a rank's own block, unless it is in its place. */
void engine_keep_block(struct coll_call *call, struct coll_block from, struct coll_block to);
/* Keeps the first error of a call; 0 is none. */
void engine_note(struct coll_call *call, int error);
/* Publishes the `bytes` bytes at call->payload, or that this rank has failed, and wakes who may wait for it. */
void engine_put(struct coll_call *call, size_t bytes);

/* shm_request.c: the forms that have requests. */
int shm_request_start(struct comm *comm, struct coll_call *call, struct request **request);
int shm_request_init(struct comm *comm, struct coll_call *call, struct request **request);

#endif
