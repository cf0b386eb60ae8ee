/* agent: operations that the target's process carries out (win.h), because this process reaches its
 * memory neither by loads and stores nor through the kernel. The standard calls it an asynchronous software
 * agent (MPI-5.0 section 12.5.3). It works whenever the target makes progress: in any of its calls that waits or
 * tests, or at any time with inkling_progress_thread.
 *
 * A request is one message (agent_wire.h) to the agent of the target, on the window's communicator. Data of up
 * to AGENT_INLINE bytes travel with it. Others follow in a message of their own, from the origin's buffer right
 * into its place; so does what the target sends back. So p2p handles buffers, datatypes, large messages, networks
 * and lost processes.
 *
 * Completion. A get is complete when its data have come. For others the origin asks the agent, at the next
 * synchronization, to answer when all that it was sent is done (AGENT_FLUSH). The origin holds a small put or accumulate
 * back, so that a flush that follows at once goes in the same message. Anything else that it sends, and progress, sends it.
 *
 * Order. Requests of one origin arrive in order. Accumulates of one origin are carried out in order; a put whose
 * data follow does not hold up others.
 *
 * Derived types. An origin describes a type to an agent once, as strided runs, and names it by a number from
 * then on.
 *
 * Threads: `lock` guards what the origin's calls write. It is held while a request that was held back is sent: a flush that
 * came meanwhile would not cover it. Each flush waits for an answer of its own unless one has come that covers all that was
 * sent before, since another thread may still wait for its answer. What the agent serves belongs to the thread that runs it
 * (progress/poll_queue.h).
 */
#ifndef WIN_AGENT_H
#define WIN_AGENT_H

#include "op/op.h"
#include "request/request.h"
#include "win/target.h"

/* Opens the agents of a window, on all its ranks. *agreed: becomes whether it was true on all ranks. The second closes this
 * one; nothing is under way any more. */
int agent_open(struct win *win, bool *agreed);
void agent_close(struct win *win);

/* Waits until everything that this process has started on a rank, or on all ranks, is complete there. */
int agent_complete(struct win *win, int rank);
int agent_complete_all(struct win *win);
static inline int agent_flush(struct win *win, int rank)
{
    return win->agent ? agent_complete(win, rank) : MPI_SUCCESS;
}
static inline int agent_flush_all(struct win *win)
{
    return win->agent ? agent_complete_all(win) : MPI_SUCCESS;
}

/* Waits for the lock of a rank. Unlocking completes everything there first. */
int agent_lock(struct win *win, int rank, bool is_exclusive);
int agent_unlock(struct win *win, int rank, bool is_exclusive);

/* The origin's buffer and the target have `bytes` bytes of data. request: NULL: none is wanted. */
int agent_put(const struct target *t, const struct user_buffer *origin, size_t bytes,
              struct request **request);
int agent_get(const struct target *t, const struct user_buffer *origin, size_t bytes,
              struct request **request);
/* Waits for another request at the next flush of a rank, and takes over the reference. The program gets the request too, if
 * it wants one; then errors of it go to the window's handler. */
int agent_keep(struct win *win, int rank, struct request *r, struct request **wanted);
/* result NULL: what was there is not wanted. */
int agent_combine(const struct target *t, const struct user_buffer *origin, const struct user_buffer *result,
                  const struct op *op, size_t bytes, struct request **request);
int agent_swap(const struct target *t, const void *origin, const void *compare, void *result);

#endif
