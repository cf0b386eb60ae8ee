/* progress: the list of pollers and the only wait loop of the library.
 *
 *     struct wait w = WAIT_START;
 *     while (!request_is_done(r))
 *         progress_wait(&w);
 *
 * progress_wait polls once; when nothing has happened for a short, adaptive time it sleeps on the futex that
 * peers ring (see net/shm). With more runnable ranks than cores it sleeps almost at once.
 *
 * Calls that look and do not wait (MPI_Test, MPI_Iprobe) are waits as well, made by the program: what has not
 * been found is looked for again at once, and again. progress_look_again is their round. It costs nothing
 * where each rank has a core. Elsewhere a thread that has looked in vain yields; one that does nothing else
 * sleeps as a wait does, but for a short time only, since the program may wait for more than messages.
 */
#ifndef PROGRESS_PROGRESS_H
#define PROGRESS_PROGRESS_H

#include "base/lock.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* Polls one source of events; returns how many it handled. Must not block. `all`: what other threads look
 * after as well; a thread that is about to sleep asks for that. */
typedef int poll_fn(bool all);

enum {
    POLLER_LIMIT = 8
};

/* Safe while other threads poll, provided that one thread adds at a time. Pollers stay. */
void progress_add_poller(poll_fn *poll);

/* One round over all pollers; returns the number of events handled. */
int progress_poll(void);

/* How a wait has gone so far; lives on the waiter's stack. */
struct wait {
    uint32_t idle;  /* rounds without an event */
    uint32_t news;  /* count of progress_tell when the last round ended, before the waiter looked again ... */
    bool may_sleep; /* ... which is so only when this is set: the next round may sleep */
    uint64_t since_ns; /* clock at the first idle round that looked at it; 0: not yet */
};
#define WAIT_START                                                                                           \
    {                                                                                                        \
        0, 0, false, 0                                                                                       \
    }

/* One round; spins, yields or sleeps as the wait's history suggests. */
void progress_wait(struct wait *w);

/* For calls that do not wait, when a poll has not brought what they look for. True: this thread has given up
 * its core for a moment and polled again, so the caller looks once more. No lock may be held. */
bool progress_look_again(void);

/* The place to sleep. `word` is shared with the peers that ring it; `prepare` announces that this process is
 * about to sleep and returns the value to sleep on; after it, one more poll decides; `cancel` takes the
 * announcement back. `wake` rings oneself. Set once by the transport that can be rung; without one the wait
 * yields and naps. */
struct sleeper {
    void (*look_around)(void); /* counts the cores anew, if that may change the crowd; prepare does as well */
    uint32_t (*prepare)(void);
    void (*sleep)(uint32_t seen, uint64_t most_ns); /* 0: for as long as it takes */
    void (*cancel)(void);
    void (*wake)(void); /* the other threads of this process that sleep */
};
/* For waits of other kinds. progress_prepare_sleep announces sleep and looks at all that progress_wait looks at;
 * true: nothing happened, and the caller looks once more at what it waits for, and sleeps or gets up. False:
 * something happened, or, where nobody would ring, it has napped. */
struct sleep_ticket {
    const struct sleeper *place;
    uint32_t seen;
};
bool progress_prepare_sleep(struct sleep_ticket *ticket);
void progress_sleep(const struct sleep_ticket *ticket);
void progress_end_sleep(const struct sleep_ticket *ticket);

/* Something waits that nobody will ring for (a full ring): +1 while it does, -1 after. Waits then nap, not
 * sleep. */
void progress_stay_awake(int change);

/* Something happened in this thread that others of this process may sleep for: a request is complete, a
 * message to oneself is under way. Comes after the store that the waiter looks for. progress_poll tells of
 * its own events. */
void progress_tell_threads(void);
static inline void progress_tell(void)
{
    if (__builtin_expect(lock_enabled, 0)) /* else there are no others */
        progress_tell_threads();
}

/* For a thread that waits for nothing of its own (thread.h): sleeps until a peer rings or progress_wake is
 * called, unless *is_over, and polls. False when others have polled in waits meanwhile. */
bool progress_rest(const _Atomic bool *is_over);
void progress_wake(void);
/* Counts the rounds of waits, as a sign that somebody polls. */
uint32_t progress_rounds(void);

void progress_set_sleeper(const struct sleeper *s);
const struct sleeper *progress_sleeper(void); /* NULL: none is set */

/* How many ranks of this host share how many cores; decides how long a wait spins. */
void progress_set_crowd(int ranks, int cores);
bool progress_is_crowded(void);
/* Whether messages may come from other hosts. To look for them is a system call; to yield costs no more, and
 * helps where cores are shared with processes that this one knows nothing of. */
void progress_set_far(bool is);
/* Lets the core rest for a moment: for waits of other kinds than this one. */
void progress_relax(void);

#endif
