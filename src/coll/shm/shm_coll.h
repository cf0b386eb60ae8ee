/* shm_coll: collectives of ranks of one host through mailboxes in shared memory, up to some ten thousand
 * bytes. Larger ones use mailboxes for synchronization only and move their data as single_copy.h says.
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
 * a single copy: wake-ups would cost the others more than a short call takes.
 */
#ifndef COLL_SHM_SHM_COLL_H
#define COLL_SHM_SHM_COLL_H

#include "coll/shm/engine.h"

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
/* The mailboxes of a call by this algorithm; NULL, on all ranks: there are none, and it uses messages. A call that may wait for others
 * may make them. Those of a persistent one are its request's, which shm_coll_do makes. *tag: to be kept in the run. */
struct mailboxes *shm_coll_open(struct comm *comm, const struct coll_call *call,
                                const struct choice_algorithm *algorithm, enum form form, size_t bytes,
                                uint32_t *tag);
/* Does the call of a run that has a call, an algorithm, mailboxes and a tag, or starts it, or makes the persistent request for it. comm:
 * whose call it is. */
int shm_coll_do(struct comm *comm, struct shm_run *run, enum form form, struct request **request);

/* shm_request.c: the forms that have requests. */
int shm_request_start(struct comm *comm, struct shm_run *run, struct request **request);
int shm_request_init(struct comm *comm, struct shm_run *run, struct request **request);

#endif
