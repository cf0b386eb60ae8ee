/* progress: the list of pollers and the only wait loop of the library.
 *
 *     struct wait w = WAIT_START;
 *     while (!request_is_done(r))
 *         progress_wait(&w);
 *
 * progress_wait polls once. When nothing has happened for a short, adaptive time it sleeps on the futex that
 * peers wake (see net/shm). With more runnable ranks than cores it sleeps almost at once. Where a process that computes
 * has the same core, each wait soon sleeps: who yields or spins gets the core back milliseconds later, who is woken at once.
 *
 * Who waits for a word that peers store into shared memory takes progress_wait_word. It polls rarely, since
 * the waiter's own look costs less than a poll.
 *
 * A thread that has waited for a moment notes for what, in memory of its own: `inkling where` reads it there. What ends sooner is
 * not noted, so calls that do not wait pay nothing.
 *
 * Calls that test without waiting (MPI_Test, MPI_Iprobe) are waits too: the program calls them again and
 * again. progress_look_again is their round. It costs nothing where each rank has a core. Elsewhere a thread
 * that finds nothing yields. If it does nothing else, it sleeps as in a wait, but for a short time only,
 * since the program may wait for more than messages.
 */
#ifndef PROGRESS_PROGRESS_H
#define PROGRESS_PROGRESS_H

#include "base/lock.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* Polls one source of events; returns the number of events handled. Must not block. `all`: also what other
 * threads take care of; a thread that is about to sleep asks for that. */
typedef int poll_fn(bool all);

enum {
    POLLER_LIMIT = 16
};

/* Safe while other threads poll and add. Pollers are never removed. */
void progress_add_poller(poll_fn *poll);

/* One round over all pollers; returns the number of events handled. */
int progress_poll(void);

/* Sleep that this thread has announced: see struct sleeper. */
struct sleep_ticket {
    const struct sleeper *place; /* NULL: none */
    uint32_t seen;               /* the value to sleep on */
};

/* What a thread waits for. */
enum wait_kind {
    WAIT_UNNAMED,
    WAIT_REQUEST,      /* struct request */
    WAIT_ANY_REQUEST,  /* one of several */
    WAIT_SHM_RUN,      /* a collective in shared memory: struct shm_run */
    WAIT_PROBE,        /* struct comm; detail: source and tag, by progress_wait_detail */
    WAIT_WIN_LOCK,     /* struct win; detail: the address of the control block whose lock it wants */
    WAIT_WIN_POST,     /* struct win; detail: the rank that is to post, ... */
    WAIT_WIN_COMPLETE, /* ... or how many are to complete */
    WAIT_AGREEMENT,    /* struct agreement */
    WAIT_LINE          /* struct comm; detail: the process whose line a collective needs, or -1 */
};

/* The last wait of a thread that was noted. It goes on if its `wait` is on the stack in use, and `noted` there is `number`. */
struct wait_note {
    uint32_t number; /* counts the notes of this thread, never 0 after the first */
    uint32_t kind;   /* enum wait_kind */
    const struct wait *wait;
    const void *what;
    uint64_t detail;
    uint64_t since_ns; /* the clock when it was noted first */
};
extern _Thread_local struct wait_note progress_awaited __attribute__((tls_model("initial-exec")));
/* Where it is, from a thread's pointer (fs on x86-64): the same in all threads; 0 before the first poller. */
extern int64_t progress_awaited_offset;

static inline uint64_t progress_wait_detail(int upper, int lower)
{
    return (uint64_t)(uint32_t)upper << 32 | (uint32_t)lower;
}

/* The history of a wait; on the waiter's stack. */
struct wait {
    uint32_t idle;     /* rounds without an event */
    uint32_t news;     /* count of progress_tell when the last round ended, before the waiter looked again; */
    bool may_sleep;    /* valid if this is set: the next round may sleep */
    uint32_t noted;    /* the number of its note; 0: it has none */
    uint64_t since_ns; /* clock at the first idle round that read it; 0: none has */
    uint64_t last_ns;  /* and at the latest, or after a yield; 0: it must be read again */
    uint64_t slept_ns; /* clock before its first sleep; 0: it has not slept */
    struct sleep_ticket ticket; /* of progress_wait_word: the waiter looks once more, then sleeps */
};
#define WAIT_START                                                                                           \
    {                                                                                                        \
        .idle = 0, .may_sleep = false                                                                        \
    }

/* One round: spins, yields or sleeps as the wait's history suggests. */
void progress_wait(struct wait *w);
/* The same of a wait that says what it waits for. */
void progress_wait_for(struct wait *w, enum wait_kind kind, const void *what, uint64_t detail);

/* How one waits for a word in shared memory. */
enum word_wait {
    WORD_NAPS,         /* nobody is woken */
    WORD_SLEEPS_ALONE, /* who stores it then wakes the sleepers; where ranks outnumber the cores, one naps */
    WORD_SLEEPS        /* the same, but one sleeps there, too: the wait is for a single rank, or long */
};

/* One round of such a wait. The waiter calls progress_wait_again when the wait is over, and when it has found one thing
 * and waits for the next. */
void progress_wait_word(struct wait *w, enum word_wait how);
void progress_wait_word_for(struct wait *w, enum word_wait how, enum wait_kind kind, const void *what,
                            uint64_t detail);
void progress_wait_again(struct wait *w);

/* For calls that do not wait, when a poll has not found what they look for. True: this thread has given up
 * its core for a moment and polled again, so the caller looks once more. No lock may be held. */
bool progress_look_again(void);

/* How a thread sleeps. `prepare` announces that this process is about to sleep, and returns the value to
 * sleep on; one more poll then decides. `cancel` withdraws the announcement. `wake` wakes this process's own
 * threads. Set by the transport whose peers can wake this process; without one a wait yields and naps. */
struct sleeper {
    void (*look_around)(void); /* counts the cores again, if that may change the crowd; prepare does so too */
    uint32_t (*prepare)(void);
    void (*sleep)(uint32_t seen, uint64_t most_ns); /* most_ns 0: until it is woken */
    void (*cancel)(void);
    void (*wake)(void); /* the sleeping threads of this process */
};

/* A poll has moved a part of a message: the thread's wait has a reason to look again before it sleeps. */
void progress_note_motion(void);

/* Something is pending that nobody will wake this process for (a full ring): +1 while it is, -1 after. Waits
 * then nap instead of sleeping. */
void progress_stay_awake(int change);

/* Something happened in this thread that others of this process may sleep for: a request is complete, a
 * message to itself is under way. Comes after the store that the waiter looks at. progress_poll reports its
 * own events. */
void progress_tell_threads(void);
static inline void progress_tell(void)
{
    if (__builtin_expect(lock_enabled, 0)) /* else there are no others */
        progress_tell_threads();
}

/* For a thread without a wait of its own (progress_thread.c): sleeps until a peer or progress_wake wakes it,
 * unless *is_over, and polls. False: other threads have polled in waits meanwhile. */
bool progress_rest(const _Atomic bool *is_over);
void progress_wake(void);
/* Counts the rounds of waits: it changes while some thread polls. */
uint32_t progress_rounds(void);

void progress_set_sleeper(const struct sleeper *s);
const struct sleeper *progress_sleeper(void); /* NULL: none is set */

/* How many ranks of this host share how many cores. It decides how long a wait spins. */
void progress_set_crowd(int ranks, int cores);
/* Where the ranks of this host add up for how long they have worked between waits, in ns; NULL: this process alone has a word. */
void progress_set_work(_Atomic uint64_t *word);
bool progress_is_crowded(void);
int progress_cores(void); /* as set last */
/* Whether to look for something a few times in a row costs nobody anything: cores are free, and polls cheap. */
bool progress_may_spin(void);
/* Whether messages may come from other hosts. Polling for them is a system call. A yield costs no more, and
 * helps where unknown processes share the cores. */
void progress_set_far(bool is);

/* progress_thread: makes progress while the program computes (process row inkling_progress_thread).
 *
 * The thread sleeps until a peer wakes it, and then polls: so nonblocking collectives and large messages go
 * on in a process that is not in MPI. While a thread of the program waits in MPI, that thread polls, and this
 * one only checks now and then that it still does: peers need not wake it then.
 *
 * Locks must be enabled. Operations of the program (MPI_Op_create) may run in this thread.
 */

/* One thread at a time calls these. Stopping has no effect when the thread does not run. */
int progress_thread_start(void);
void progress_thread_stop(void);

#endif
