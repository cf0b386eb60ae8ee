/* agent_wire: requests to agents, as they lie in messages (host byte order). */
#ifndef WIN_AGENT_WIRE_H
#define WIN_AGENT_WIRE_H

#include "base/list.h"
#include "progress/poll_queue.h"
#include "win/agent.h"

#include <stddef.h>

enum {
    AGENT_INLINE = 2048,  /* bytes of data that travel with a request */
    AGENT_HELD = 256,     /* ... of one that the origin holds back for the next flush */
    AGENT_TAG = 3,        /* of requests; see active.c */
    AGENT_FIRST_TAG = 16, /* of their data and answers: each origin counts up from here, by two */
    AGENT_TAGS = 1 << 30,
    AGENT_INDEX_SHIFT = 32,
    AGENT_TYPES = 1024 /* most types that an origin relies on; agents forget those before */
};

enum agent_kind {
    AGENT_PUT = 1,
    AGENT_GET,
    AGENT_COMBINE,
    AGENT_SWAP,   /* the data are the new value and the one to compare with */
    AGENT_TYPE,   /* the data are runs of a type, which follow those that came before */
    AGENT_FLUSH,  /* answer when everything of this origin is done */
    AGENT_LOCK,   /* answer when it has the lock */
    AGENT_UNLOCK, /* answer when everything is done and the lock given back */
    AGENT_KINDS
};

struct agent_head {
    uint8_t kind;         /* enum agent_kind */
    uint8_t op;           /* enum op_code */
    uint8_t is_exclusive; /* a lock */
    uint8_t is_fetching;  /* an accumulate: answer with what was there */
    int32_t tag;          /* even: of data that follow; plus 1: of the answer */
    uint64_t address;     /* of item 0 at the target */
    uint64_t bytes;       /* of data */
    uint64_t type;        /* number of the target's type; 0: one run of bytes */
    uint64_t basic;       /* the predefined type of its elements: see agent_name_basic */
    uint64_t
        then; /* what is asked for behind it, under the same tag: AGENT_FLUSH, AGENT_UNLOCK; 0: nothing */
};

/* Two ranks may serve each other under one number: answers have tags of their own. */
static inline int32_t agent_answer_tag(const struct agent_head *head)
{
    return head->tag + 1;
}

struct agent_request {
    struct agent_head head;
    unsigned char data[AGENT_INLINE];
};

/* A small put or accumulate that the origin has not sent yet: the next flush or unlock of the rank goes in the same
 * message. Anything else that is sent to the rank comes after it; progress of the process sends it, too. */
struct held_request {
    struct agent_head head;
    unsigned char data[AGENT_HELD];
    size_t bytes;
};

_Static_assert(offsetof(struct held_request, data) == offsetof(struct agent_request, data),
               "one is sent as the other");

/* As layout_runs lists them; `at` relative to item 0. */
struct agent_run {
    int64_t at, bytes, count, stride;
};

/* The answer to AGENT_FLUSH, _LOCK and _UNLOCK. */
struct agent_answer {
    int32_t error; /* an error class: something that was sent before has failed */
    int32_t unused;
};

/* A type that another rank has described to this agent. */
struct agent_type {
    struct link link;
    int origin;
    uint64_t number, basic;
    size_t runs;
    struct agent_run *run;
    struct datatype *type; /* made when it is used first; NULL: not yet */
};

/* A type that this process has described to the agent of a rank. */
struct told_type {
    uint64_t handle;
    MPI_Count count;
    int rank;
    uint64_t number;
};

/* Operations that were sent to a rank. */
struct sent {
    uint64_t count, complete; /* complete: so many, the first ones; an answer has said so */
};

struct agent {
    struct link link; /* in the queue of agents */
    struct win *win;

    /* As an origin; guarded by `lock`. */
    struct lock lock;
    int32_t next_tag;
    uint64_t types;      /* how many were told */
    struct sent *sent;   /* by rank */
    struct link pending; /* requests of p2p that must be done before a flush is */
    unsigned kept;       /* how many were added to these */
    struct held_request held;
    _Atomic int held_rank; /* whose `held` is; -1: nothing is held back. Changed with the lock; relaxed */
    struct told_type *told;
    size_t told_count, told_room;

    /* As a target; the thread that serves it. */
    struct request *arriving; /* into `request` */
    struct agent_request request;
    struct link serving;     /* what has been begun, in order of arrival */
    struct link known;       /* types */
    int *error;              /* by rank: class of the first failure since its last flush */
    _Atomic bool is_closing; /* release; the server takes it out of the queue */
    _Atomic bool is_closed;  /* release by the server, acquire by agent_close */
};

/* Takes what has come and goes on with what has been begun; returns how much it has done. */
int agent_serve(struct agent *agent);
void agent_serve_close(struct agent *agent);

/* A word that names a predefined type to other processes: its handle or, for a pair without a name, those of its parts, the
 * index's above AGENT_INDEX_SHIFT. The type of such a word; NULL: there is no memory to make it. */
uint64_t agent_name_basic(const struct datatype *basic);
struct datatype *agent_find_basic(uint64_t name);

/* Types of an origin. The one of this number; NULL with a note: it cannot be made. Takes in a request that
 * describes one, with so many bytes of data. */
struct datatype *agent_known_type(struct agent *agent, int origin, uint64_t number);
int agent_learn_type(struct agent *agent, int origin, const struct agent_request *request, size_t bytes);
void agent_forget_types(struct agent *agent);

#endif
