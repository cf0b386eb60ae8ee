/* hint: the hint table, and the hint values of one object.
 *
 * Every hint of the standard and every library setting (process scope) is one row of `hint_table`: plain data
 * without callbacks. Parsing, defaults, get_info, agreement, environment variables (INKLING_<NAME>), mpiexec
 * options, `inkling hints`, the page HINTS.md and the tests all read this table.
 *
 * An object holds its values in an array indexed by the enum: hint_value(&comm->hints, HINT_NO_ANY_TAG) is
 * one load. A boolean is 0 or 1. An integer or a size is its value; sizes are in bytes. A duration is in
 * nanoseconds. A choice is its index in `choices`. A set has bit i for member i of `choices`. Strings and kind
 * lists are in text[], which the struct owns; NULL means not set. The value of a kind list is the set of its
 * kinds (memory/kind.h), so hint_buffer_kinds() is one load. That of HINT_RULES is what coll_rules.h says. A row of processes and communicators is HINT_FOLLOWS on a
 * communicator that was given none: the process's is in force there.
 *
 * Rules (MPI-5.0 section 7.4.4 and chapter 10): an unknown key is not kept. A bad value is ignored, and the
 * old value stays. A key that is not offered keeps its value. Outer spaces are stripped before a value is
 * read. Values are reported in canonical form, kind lists verbatim. verdict[] says what became of each key,
 * origin[] which call gave the value in force.
 *
 * How a value changes: an object under construction is offered hints directly. A live object is changed
 * through a copy (hints_copy, hint_offer, agreement between ranks, hints_move). Other threads thus see the
 * old values or the new ones, and never a value that the ranks have not agreed on.
 *
 * Threads: any thread may read value[] at any time, with relaxed loads. text[], verdict[] and origin[] of a
 * live object change under `lock`, and readers look at a hints_copy of them. The lock is always taken, since
 * get_info may run in any thread.
 */
#ifndef HINT_HINT_H
#define HINT_HINT_H

#include "base/lock.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum hint_id {
    /* communicators (MPI-5.0 section 7.4.4) */
    HINT_NO_ANY_TAG,
    HINT_NO_ANY_SOURCE,
    HINT_EXACT_LENGTH,
    HINT_ALLOW_OVERTAKING,
    HINT_STRICT_PERSISTENT_ORDERING,
    HINT_ASSERT_MEMORY_KINDS,
    HINT_MEMORY_KINDS,
    /* sessions (MPI-5.0 section 11.3.1) */
    HINT_THREAD_LEVEL,
    /* memory (MPI-5.0 section 9.2) */
    HINT_MINIMUM_MEMORY_ALIGNMENT,
    /* windows (MPI-5.0 section 12.2) */
    HINT_NO_LOCKS,
    HINT_ACCUMULATE_ORDERING,
    HINT_ACCUMULATE_OPS,
    HINT_ACCUMULATE_GRANULARITY,
    HINT_SAME_SIZE,
    HINT_SAME_DISP_UNIT,
    HINT_SHARED_NONCONTIG,
    /* files (MPI-5.0 section 14.2.8) */
    HINT_ACCESS_STYLE,
    HINT_COLLECTIVE_BUFFERING,
    HINT_CB_BLOCK_SIZE,
    HINT_CB_BUFFER_SIZE,
    HINT_CB_NODES,
    HINT_FILENAME,
    HINT_FILE_PERM,
    HINT_CHUNKED,
    HINT_CHUNKED_ITEM,
    HINT_CHUNKED_SIZE,
    HINT_IO_NODE_LIST,
    HINT_NB_PROC,
    HINT_NUM_IO_NODES,
    HINT_STRIPING_FACTOR,
    HINT_STRIPING_UNIT,
    /* files: keys of ROMIO, which programs set */
    HINT_CB_READ,
    HINT_CB_WRITE,
    HINT_DS_READ,
    HINT_DS_WRITE,
    HINT_IND_RD_BUFFER_SIZE,
    HINT_IND_WR_BUFFER_SIZE,
    /* the process: library settings (INKLING_*) */
    HINT_EAGER_LIMIT,
    HINT_CMA,
    HINT_DEVICE_IPC,
    HINT_JOINT_LIMIT,
    HINT_SPIN_TIME,
    HINT_LANES,
    HINT_RING_SIZE,
    HINT_STAGING_SIZE,
    HINT_TRANSPORT,
    HINT_NETWORK,
    HINT_OFI_PROVIDER,
    HINT_OFI_INTERFACE,
    HINT_OFI_AUTH_KEY,
    HINT_OFI_RMA,
    HINT_WIN_RMA,
    HINT_OFI_EAGER_LIMIT,
    HINT_PEER_TIMEOUT,
    HINT_SURVIVE,
    HINT_NAME_DIRECTORY,
    HINT_CONNECT_TIMEOUT,
    HINT_HINTS_REPORT,
    HINT_OUTSIDE,
    HINT_CHECK,
    HINT_STATS,
    HINT_BARRIER, /* algorithms, in the order of enum collective (coll/choice.h) */
    HINT_BCAST,
    HINT_REDUCE,
    HINT_ALLREDUCE,
    HINT_ALLGATHER,
    HINT_ALLTOALL,
    HINT_REDUCE_SCATTER,
    HINT_GATHER,
    HINT_SCATTER,
    HINT_SCAN,
    HINT_RULES,
    HINT_HOST_RANKS,
    HINT_TOPOLOGY,
    HINT_REPRODUCIBLE_REDUCTIONS,
    HINT_PROGRESS_THREAD,
    HINT_REQUESTED_KINDS,
    HINT_TEST_KIND,
    /* the commands: settings of the compiler wrappers */
    HINT_CC,
    HINT_CXX,
    HINT_COUNT
};

enum hint_type {
    HINT_BOOL,
    HINT_INT,
    HINT_SIZE,
    HINT_DURATION,
    HINT_CHOICE,
    HINT_SET,
    HINT_KINDS,
    HINT_STRING
};
enum hint_on {
    ON_COMM = 1,
    ON_WIN = 2,
    ON_FILE = 4,
    ON_SESSION = 8,
    ON_PROCESS = 16,
    ON_COMMAND = 32, /* INKLING_ variables that only mpicc and the other wrappers read */
    ON_MEMORY = 64,  /* memory of MPI_Alloc_mem, whose hints cannot be queried later */
    ON_OPERATION =
        128 /* one persistent collective, by its info argument; all these rows are of communicators too */
};
enum hint_when {
    AT_CREATE = 1,
    AT_SET = 2,
    AT_START = 4,
    READ_ONLY = 8,  /* except at the other moments of the row */
    AT_SESSION = 16 /* MPI_Session_init */
};
enum hint_agree {
    AGREE_LOCAL,
    AGREE_SAME
};
enum hint_effect {
    EFFECT_ACTIVE, /* used by the code today */
    EFFECT_IDLE,   /* accepted and kept; the code does not need it, for the reason that `effect` gives */
    EFFECT_NONE    /* ignored, for the reason that `effect` gives; never has a value */
};

/* What is counted for an object against a hint. While the count is 0 the hint of the row that names it (.counted) holds;
 * the report shows the count, in the words of .counted_as. */
enum hint_counted {
    COUNTED_NONE,
    COUNTED_ANY_TAG,    /* receives and probes that named MPI_ANY_TAG, or tried to */
    COUNTED_ANY_SOURCE, /* ... MPI_ANY_SOURCE */
    COUNTED_LENGTH,     /* point-to-point messages that were shorter or longer than their receive */
    COUNTED_LOCKS,      /* calls that lock a window and were refused */
    COUNTED_COUNT
};

/* What of its object a hint acts on. The object's report looks there whether the hint has had an effect on it. */
enum hint_acts_on {
    ACTS_ON_ALL,           /* it has one wherever it is in force */
    ACTS_ON_FILING,        /* the places where messages wait for their receive */
    ACTS_ON_ADVERTS,       /* receives that are told to their sender */
    ACTS_ON_LANES,         /* the lanes of a communicator */
    ACTS_ON_SHARED_STARTS, /* persistent collectives of one host */
    ACTS_ON_PEERS,         /* messages to other ranks */
    ACTS_ON_COLLECTIVES,
    ACTS_ON_LOCKING, /* the locks of the library */
    ACTS_ON_ALIGNMENT,
    ACTS_ON_UNIFORM_WINDOW, /* windows whose ranks all give the same */
    ACTS_ON_SHARED_WINDOW,  /* windows of MPI_Win_allocate_shared */
    ACTS_ON_REPLACE,        /* accumulates with MPI_REPLACE */
    ACTS_ON_GRANULARITY,    /* what an accumulate protects at once */
    ACTS_ON_STYLE,          /* what the kernel is told of a file */
    ACTS_ON_STRIPING,       /* the layout of a file that is created */
    ACTS_ON_BUFFERING,      /* collective accesses through buffers */
    ACTS_ON_BUFFERED_READS,
    ACTS_ON_BUFFERED_WRITES,
    ACTS_ON_SIEVED_READS,
    ACTS_ON_SIEVED_WRITES
};

struct hint_row {
    const char *key; /* the info key; for process rows the INKLING_ variable in lower case, inkling_... */
    enum hint_type type;
    const char *def;     /* default, as text; NULL: not set */
    const char *choices; /* HINT_CHOICE: comma separated legal values; HINT_SET: members */
    const char *
        former; /* HINT_CHOICE: "old=new,..."; old names of values, which are taken with a warning; NULL: none */
    int64_t min, max;  /* HINT_INT, HINT_SIZE, HINT_DURATION; both 0: only the type limits */
    bool is_power;     /* HINT_INT, HINT_SIZE: only powers of two are legal */
    unsigned on, when; /* bits of enum hint_on, enum hint_when */
    enum hint_agree agree;
    enum hint_effect state;
    enum hint_counted counted;
    const char *counted_as; /* what is counted, as the report says it behind the number */
    enum hint_acts_on acts_on;
    int verbosity;      /* process rows: MPI_T_VERBOSITY_X; 0: _TUNER_BASIC */
    const char *since;  /* "MPI-4.0", or the Inkling version of a library setting */
    const char *effect; /* what the library does with it, one sentence */
    const char *text;   /* what the program asserts or requests, one sentence */
    const char
        *broken; /* what happens if the program gives it and it is not true, one sentence; NULL: it promises
                           nothing */
};

extern const struct hint_row hint_table[HINT_COUNT];
/* What became of a key that was offered. */
enum hint_verdict {
    HINT_NOT_OFFERED, /* the default is in force */
    HINT_ACCEPTED,
    HINT_UNKNOWN, /* not a hint of this kind of object */
    HINT_BAD_VALUE,
    HINT_NOT_NOW, /* read-only, or fixed at creation */
    HINT_UNSUPPORTED_KIND,
    HINT_DISAGREED, /* the ranks gave different values: the default is in force */
    HINT_RELIED_ON, /* pending operations need the value that was in force */
    HINT_USELESS,   /* the row is EFFECT_NONE */
    HINT_NO_MEMORY
};

/* The hint values of one object. Owner: that object. */
struct hints {
    unsigned on;             /* which rows apply: bits of enum hint_on; constant */
    const char *model_kinds; /* default of mpi_memory_alloc_kinds; NULL: the World Model's; constant */
    bool keep_kinds;         /* an asserted kind list does not narrow mpi_memory_alloc_kinds; constant */
    const char *name;        /* that hints from outside may call it by (hint/outside.h); NULL: none */
    const char *maker;       /* the call that made it, a constant text; NULL: unknown; constant */
    const struct source_place *site; /* of that call; NULL: not looked for, or unknown; constant */
    const char *giver;               /* the call that offers now, a constant text; NULL: unknown */
    struct lock lock;                /* guards all below and all writing, once the object is live */
    int64_t value[HINT_COUNT];       /* meaningless for rows that do not apply */
    char *text[HINT_COUNT];          /* HINT_KINDS and HINT_STRING rows; NULL: the default */
    uint8_t verdict[HINT_COUNT];     /* enum hint_verdict: what the last offer of this row came to */
    const char *origin[HINT_COUNT];  /* the giver of the value in force; NULL: the default, or unknown */
    uint64_t counted[COUNTED_COUNT]; /* by enum hint_counted; any thread counts */
    uint64_t counted_since[COUNTED_COUNT]; /* what it was when the value in force was given */
    char refused_kind
        [48]; /* the element for which the last list of kinds was refused, cut where it is longer, ... */
    const char *refused_why; /* ... and why, a constant text */
    char *strays;            /* offered keys that are not hints of this object (hint/report.h); owned */
    int strays_lost;         /* offers of such keys that strays has no room for */
};

/* The value in force of a row that is not a text. One load, from any thread. */
static inline int64_t hint_value(const struct hints *h, enum hint_id id)
{
    return __atomic_load_n(&h->value[id], __ATOMIC_RELAXED);
}

enum {
    HINT_FOLLOWS = -1
};
extern struct hints hint_process;

/* The value in force on a communicator, of a row that processes have too. */
static inline int64_t hint_value_here(const struct hints *h, enum hint_id id)
{
    int64_t value = hint_value(h, id);

    return value == HINT_FOLLOWS ? hint_value(&hint_process, id) : value;
}
/* Whether it is the process's. */
bool hint_follows(const struct hints *h, enum hint_id id);

/* Here no more of a size than `most` has an effect, or than an earlier call has said if that is more: larger values are reported as
 * that. */
void hint_cap(enum hint_id id, int64_t most);
/* The value in force of a row that is not a text, as far as it has an effect. */
int64_t hint_effective(const struct hints *h, enum hint_id id);

static inline void hint_count(struct hints *h, enum hint_counted counted)
{
    /* relaxed: a number to report, which orders nothing */
    __atomic_fetch_add(&h->counted[counted], 1, __ATOMIC_RELAXED);
}

/* The kinds of memory that this process may pass to operations on the object, as a set of memory/kind.h. */
static inline int64_t hint_buffer_kinds(const struct hints *h)
{
    return hint_value(h, HINT_ASSERT_MEMORY_KINDS);
}

/* The choices of accumulate_ops, in their order. */
enum accumulate_ops {
    ACCUMULATE_SAME_OP,
    ACCUMULATE_SAME_OP_NO_OP
};

/* The choices of the rows of ROMIO, in their order. */
enum romio_choice {
    ROMIO_AUTOMATIC,
    ROMIO_ENABLE,
    ROMIO_DISABLE
};

/* Sets all rows that apply to their defaults. */
void hints_init(struct hints *h, unsigned on);
/* Says that the object belongs to a model with these kinds: a session's, or NULL for the World Model. The
 * text outlives the object. Called before any hint is offered. */
void hints_set_model(struct hints *h, const char *kinds);
void hints_fini(struct hints *h);

/* Initialises `copy` as a snapshot of h, which may be live. False if memory is out; there is then nothing to
 * release. */
bool hints_copy(struct hints *h, struct hints *copy);
/* Gives the values of `from` to h, which may be live. `from` is left with the old values of h. */
void hints_move(struct hints *h, struct hints *from);

/* Offers key=value, at the moment `when`, to hints that no other thread sees. Never fails: a value that is
 * not accepted changes nothing. Warns of a key that looks misspelled and of a malformed value, with the call and the
 * object's name (hint/warn.h). */
enum hint_verdict hint_offer(struct hints *h, unsigned when, const char *key, const char *value);

/* Sets a row that is a text in the library's name, as if nobody had offered it. A text that no info can hold, or for
 * which there is no memory, is not set. */
void hint_set_text(struct hints *h, enum hint_id id, const char *text);
/* The value in force of a row that is a text, of hints that no longer change; NULL: not set. */
const char *hint_text(const struct hints *h, enum hint_id id);
/* Takes back the value that the program offered, which turns out to be not legal. */
void hint_refuse(struct hints *h, enum hint_id id, const char *legal);

/* The call that gave the value in force of h, which may be live: "MPI_Comm_set_info" ... */
const char *hint_origin(struct hints *h, enum hint_id id);

/* Writes the value in force, as canonical text, into buffer: at most size bytes with the NUL. False: not set. */
bool hint_format(const struct hints *h, enum hint_id id, char *buffer, size_t size);
/* mpi_memory_alloc_kinds of hints that no longer change. */
const char *hint_kinds(const struct hints *h);
/* Writes one line that says what this row does on this object, and why: "active: ...", "no effect: ABSENCE" (NULL: it
 * has one), "idle: ..." (accepted but not needed), "ignored: ...", "default" (also when the default was given). */
void hint_explain(const struct hints *h, enum hint_id id, const char *absence, char *buffer, size_t size);

/* The rows of the object that must be the same on all ranks and are no texts, in the order of the table: the first one from
 * `id` on, HINT_COUNT after the last. See hint/vote.h. */
enum hint_id hint_agreed_from(const struct hints *h, int id);
/* The ranks disagreed about the row: resets it to its default. */
void hint_disagreed(struct hints *h, enum hint_id id);
/* Gives h the value of `old`, because pending operations need it. Not for rows that are texts. */
void hint_keep(struct hints *h, const struct hints *old, enum hint_id id);

/* The process-scope values: defaults, overridden by INKLING_* variables. hint_process_init() reads these for who only
 * looks; a later one reads them anew. hint_process_fix() is for whoever opens MPI, before it reads a value: it reads
 * them too, and nothing that the library reads only then changes any more. Both may be called by threads at the same
 * time, and change nothing once the values are fixed. A malformed or unknown INKLING_ variable is an error whose note
 * names the nearest valid spelling or the legal values. Variables INKLING_JOB_* belong to the launcher and are
 * ignored. */
int hint_process_init(void);
int hint_process_fix(void);
bool hint_process_is_fixed(void);
/* Sets a row for MPI_T_cvar_write, whose value outdoes the environment's. */
enum hint_verdict hint_process_write(enum hint_id id, const char *value);
/* The text of a row, "" where there is none, while others may write it. */
void hint_process_read_text(enum hint_id id, char *text, size_t size);
/* Sets one such variable, spelled as in the environment, while no other thread looks. */
int hint_process_set(const char *name, const char *value);

/* Control variables (MPI-5.0 section 16.3.6): each row of processes is one, and one of each communicator if it is a row of these,
 * too. Its name is the key, or inkling_comm_ in place of its inkling_. */
bool hint_has_variable(const struct hint_row *row, bool of_comm);
void hint_variable_name(const struct hint_row *row, bool of_comm, char *name, size_t size);

/* hint_find: the row of this key. hint_nearest: the row whose key this is probably a misspelling of. NULL if
 * there is none. */
const struct hint_row *hint_find(const char *key);
const struct hint_row *hint_nearest(const char *key);

/* The memory allocation kinds of the World Model: the supported ones among those that the launcher was asked
 * for, each as it was spelled, and always "mpi" and "system". Fixed for the life of the process. */
const char *hint_world_kinds(void);

#endif
