/* metric: what the process counts about itself, and THE table of performance variables (MPI-5.0 section 16.3.7).
 *
 * A *word* is a count that is always kept, but for those of what happens often. Words of the process have a copy per lane of p2p, written under the
 * lane's lock, one per stripe of threads (base/thread.h) for all other code that the program calls, and one for threads of the library. Words of a communicator lie in
 * it (comm->word). Readers sum copies with relaxed loads, at any time: counts order nothing. Other metrics are
 * read where the library keeps them, or exist only while somebody watches them (metric_watched).
 *
 * A performance variable is a row of metric_table: pure data, which src/tool, `inkling vars` and the tests read.
 * Several rows may show one metric: a level and its watermarks have the same name.
 */
#ifndef METRIC_METRIC_H
#define METRIC_METRIC_H

#include "base/lock.h"
#include "base/thread.h"

#include <stdatomic.h>
#include <stdint.h>

enum metric {
    /* Words of the process. Messages are those of the program between two processes, collectives left out. */
    METRIC_EAGER_MESSAGES,
    METRIC_EAGER_BYTES,
    METRIC_RENDEZVOUS_MESSAGES,
    METRIC_RENDEZVOUS_BYTES,
    METRIC_ADVERTISED_MESSAGES,
    METRIC_ADVERTISED_BYTES,
    METRIC_UNEXPECTED_MESSAGES,
    METRIC_UNEXPECTED_BYTES,
    METRIC_POSTED,     /* a level: receives that wait for their message */
    METRIC_UNEXPECTED, /* a level: messages that wait for their receive */
    /* how large messages were moved: in the order of the protocols of p2p/rndv/rndv.c, each with its bytes */
    METRIC_PACK_PIPELINE_MESSAGES,
    METRIC_PACK_PIPELINE_BYTES,
    METRIC_DEVICE_COPY_MESSAGES,
    METRIC_DEVICE_COPY_BYTES,
    METRIC_DUAL_COPY_MESSAGES,
    METRIC_DUAL_COPY_BYTES,
    METRIC_SINGLE_COPY_MESSAGES,
    METRIC_SINGLE_COPY_BYTES,
    METRIC_NETWORK_READ_MESSAGES,
    METRIC_NETWORK_READ_BYTES,
    METRIC_PIECES_MESSAGES,
    METRIC_PIECES_BYTES,
    METRIC_SLEEPS,
    METRIC_WAIT_NS, /* counted only while METRIC_WATCH_WAIT is set */
    METRIC_COLL_SHARED_MEMORY,
    METRIC_COLL_SINGLE_COPY,
    METRIC_COLL_MESSAGES,
    METRIC_PUTS,
    METRIC_PUT_BYTES,
    METRIC_GETS,
    METRIC_GET_BYTES,
    METRIC_ACCUMULATES,
    METRIC_RMA_KERNEL_COPIES,
    METRIC_RMA_NETWORK_COPIES,
    METRIC_RMA_REQUESTS,
    METRIC_FILE_READS,
    METRIC_FILE_READ_BYTES,
    METRIC_FILE_WRITES,
    METRIC_FILE_WRITE_BYTES,
    METRIC_FILE_BUFFERED_BYTES,
    METRIC_FILE_MESSAGES,
    METRIC_WORDS,
    /* Words of a communicator. */
    METRIC_COMM_EAGER_MESSAGES = METRIC_WORDS,
    METRIC_COMM_EAGER_BYTES,
    METRIC_COMM_RENDEZVOUS_MESSAGES,
    METRIC_COMM_RENDEZVOUS_BYTES,
    METRIC_COMM_ADVERTISED_MESSAGES,
    METRIC_COMM_ADVERTISED_BYTES,
    METRIC_COMM_ADVERTISED_RECEIVES,
    METRIC_COMM_RECEIVED_MESSAGES,
    METRIC_COMM_RECEIVED_BYTES,
    METRIC_COMM_COLLECTIVES,
    METRIC_COMM_WORDS_END,
    /* Read where they are kept. */
    METRIC_COMM_POSTED = METRIC_COMM_WORDS_END,
    METRIC_COMM_UNEXPECTED,
    METRIC_COMM_ANY_TAG,
    METRIC_COMM_ANY_SOURCE,
    METRIC_COMM_OTHER_LENGTH,
    METRIC_HEAP_SIZE,
    METRIC_HEAP_USED,
    METRIC_CROWD,
    METRIC_COUNT
};

enum {
    METRIC_COMM_WORDS = METRIC_COMM_WORDS_END - METRIC_WORDS,
    METRIC_LANES = 8 /* NET_LANES (net/net.h) */
};

struct metric_words {
    _Alignas(128) _Atomic uint64_t at[METRIC_WORDS];
};
extern struct metric_words metric_lane[METRIC_LANES], metric_stripe[THREAD_STRIPES];
extern struct metric_words
    metric_worker; /* threads of the library add to it, atomically: they take no lock */
extern struct metric_words metric_library; /* of the library's own messages; never read */

/* For the only thread that may write the word now. */
static inline void metric_add(_Atomic uint64_t *word, uint64_t n)
{
    atomic_store_explicit(word, atomic_load_explicit(word, memory_order_relaxed) + n, memory_order_relaxed);
}

static inline void metric_add_shared(_Atomic uint64_t *word, uint64_t n)
{
    if (lock_enabled)
        atomic_fetch_add_explicit(word, n, memory_order_relaxed);
    else
        metric_add(word, n);
}

/* For code that holds no lane. */
static inline void metric_count(enum metric m, uint64_t n)
{
    metric_add_shared(&metric_stripe[thread_stripe()].at[m], n);
}

/* The word of the process, over all copies. */
uint64_t metric_sum(enum metric word);

/* What somebody watches now, as bits. Relaxed: a change is seen soon. */
enum metric_watch {
    METRIC_WATCH_WAIT = 1,    /* METRIC_WAIT_NS is counted */
    METRIC_WATCH_QUEUES = 2,  /* metric_queue_watcher is called when a queue has changed */
    METRIC_WATCH_FREQUENT = 4 /* what happens often is counted: see metric_is_frequent */
};
extern _Atomic unsigned metric_watched;
extern unsigned metric_always_watched; /* what is never taken back; set while one thread is in MPI */
extern void (*_Atomic metric_queue_watcher)(void);

/* Words that operations of nanoseconds would have to keep: counted only while METRIC_WATCH_FREQUENT is set. */
static inline bool metric_is_frequent(enum metric m)
{
    return m == METRIC_EAGER_MESSAGES || m == METRIC_EAGER_BYTES ||
           (m >= METRIC_COLL_SHARED_MEMORY && m <= METRIC_ACCUMULATES) || m == METRIC_COMM_EAGER_MESSAGES ||
           m == METRIC_COMM_EAGER_BYTES ||
           (m >= METRIC_COMM_RECEIVED_MESSAGES && m <= METRIC_COMM_COLLECTIVES);
}

static inline bool metric_watches_frequent(void)
{
    return __builtin_expect(
        atomic_load_explicit(&metric_watched, memory_order_relaxed) & METRIC_WATCH_FREQUENT, 0);
}

/* Of such a word, by code that holds no lane. */
static inline void metric_count_frequent(enum metric m, uint64_t n)
{
    if (metric_watches_frequent())
        metric_count(m, n);
}

static inline bool metric_watches_waits(void)
{
    return atomic_load_explicit(&metric_watched, memory_order_relaxed) & METRIC_WATCH_WAIT;
}

/* After a queue of messages or receives has changed; the caller may hold a lane. */
void metric_queue_changed(void);
static inline void metric_tell_queue(void)
{
    if (__builtin_expect(atomic_load_explicit(&metric_watched, memory_order_relaxed) & METRIC_WATCH_QUEUES,
                         0))
        metric_queue_changed();
}

/* Groups of variables. The first contains the others. */
enum metric_category {
    CATEGORY_ALL,
    CATEGORY_SETTINGS,
    CATEGORY_MESSAGES,
    CATEGORY_PROTOCOLS,
    CATEGORY_WAITING,
    CATEGORY_COLLECTIVES,
    CATEGORY_WINDOWS,
    CATEGORY_FILES,
    CATEGORY_MEMORY,
    CATEGORY_HINTS,
    CATEGORY_COUNT
};
extern const struct metric_category_row {
    const char *name, *text;
} metric_category_table[CATEGORY_COUNT];

struct metric_row {
    const char *name; /* unique together with the class */
    int class;        /* MPI_T_PVAR_CLASS_X */
    int verbosity;    /* MPI_T_VERBOSITY_X */
    int bind;         /* MPI_T_BIND_X */
    enum metric metric;
    enum metric_category category;
    const char *text; /* one sentence */
};

/* Ended by a NULL name. The place of a row is the index of the variable; new rows go to the end. */
extern const struct metric_row metric_table[];
int metric_rows(void);

#endif
