/* engine: carries out a call through the memory that the ranks of a host share, step by step.
 *
 * A *step* has one sequence number (mailbox.h), the same on all ranks: this rank writes its line, waits for the lines of the ranks whose
 * data it needs, and then combines or copies what they hold. `way` says who waits for whom. A *plan* of a collective, a function in the
 * collective's file and in a row of the table, names the steps of a call by engine_set_steps; it looks only at what is the same on all
 * ranks. Single copy takes two steps (single_copy.h): descriptors of the buffers, between which the ranks then copy, and a barrier.
 *
 * A call is constant once it is made (coll_call.h). What changes while it goes on is its *run*, which belongs to the engine and to
 * whoever calls it: one thread at a time.
 */
#ifndef COLL_SHM_ENGINE_H
#define COLL_SHM_ENGINE_H

#include "coll/coll_call.h"
#include "coll/shm/mailbox.h"

enum {
    TAG_FAILED = 0xffff,   /* of a line: what its owner should have published is not there ... */
    TAG_LEFT = 0xfffe,     /* ... and it has left the call for a loss */
    TAG_IRREGULAR = 0x400, /* bits above collective and root, see irregular.h */
    TAG_MESSAGES = 0x800,
    TAG_OP_SHIFT = 12,     /* the bits above: the operation, 0 without one, and ... */
    TAG_OP_USER = 0xf,     /* ... the same for all operations of users */
    TAG_NUMBER_SHIFT = 16, /* above: of a persistent one that shares mailboxes, constant; else 0 */
    FLAT_MOST = 8          /* ranks that all wait for all others in a barrier or an allreduce */
};

struct shm_run;

enum shm_way {
    WAY_ALL,       /* each waits for all others */
    WAY_FROM_ROOT, /* the root writes, the others wait for it */
    WAY_TO_ROOT,   /* the root waits for the others */
    WAY_FROM_BELOW /* each waits for the ranks below it */
};

struct shm_step {
    enum shm_way way;
    /* Writes this rank's line; false: not yet. */
    bool (*put)(struct shm_run *run);
    /* The lines that this rank waits for are there. Not called for those that only write to a root. */
    void (*take)(struct shm_run *run);
    /* Bytes of a rank's line; NULL: call->bytes. */
    size_t (*due)(const struct shm_run *run, int rank);
    bool keeps_own;  /* a root reads what it contributes where it lies */
    bool is_portion; /* it is repeated for each portion of a long buffer */
};

struct shm_run {
    const struct coll_call *call;
    const struct choice_algorithm *algorithm; /* whose plan it is */
    struct mailboxes *boxes;
    const struct shm_step *step;
    uint64_t sequence;      /* of the step */
    unsigned char *payload; /* of the contribution, in this rank's mailbox */
    union {
        unsigned char *bounce;       /* owner: single_copy.c; in place of buffers that others cannot access */
        struct irregular *irregular; /* owner: irregular.c */
    };
    int error;                /* the first one */
    uint32_t polls;           /* in vain, so far */
    uint32_t tag;             /* of its lines: what all ranks agree on */
    uint32_t left;            /* steps after this one */
    uint8_t root;             /* the call's, as a rank of the mailboxes */
    uint8_t next, until;      /* this rank polls ranks up to `until`; those before
                          `next` have published */
    uint8_t bounce_log;       /* owner of this and the bits: single_copy.c; log2 of the
                          bytes of `bounce`; 0: it is not cached */
    bool is_published;        /* or there is nothing to publish */
    bool is_header_published; /* the others see that this rank is here */
    bool is_irregular : 1;    /* irregular_is(call); bits, since requests have little
                            room */
    bool is_exposed : 1;      /* others may access the buffers */
    bool in_bounces : 1, out_bounces : 1;
    uint8_t uses; /* bits of enum single_copy_use */
};

/* For plans. */
void engine_set_steps(struct shm_run *run, const struct shm_step *step, uint32_t steps);

/* Begins a call. engine_advance goes on with it: true when it is over and run->error is set. engine_publish is the first thing that it
 * does: true when nothing is left to publish. */
void engine_begin(struct shm_run *run);
bool engine_publish(struct shm_run *run);
bool engine_advance(struct shm_run *run);
/* Whether it cannot publish until others have completed earlier operations. */
bool engine_waits_for_done(const struct shm_run *run);

/* Keeps the first error of a call; 0 is none. */
void engine_note(struct shm_run *run, int error);

/* For `put`. All of the contribution; nothing. */
bool engine_put_input(struct shm_run *run);
bool engine_put_nothing(struct shm_run *run);
/* `bytes` bytes of a block from byte `first` on, which are read in this step and the `later` ones behind it. */
bool engine_put_block(struct shm_run *run, struct coll_block in, size_t first, size_t bytes, uint32_t later);
/* Reserves memory at run->payload for so many bytes, *bytes becoming 0 where they do not fit. False: not yet. */
bool engine_reserve(struct shm_run *run, size_t *bytes, uint32_t later);
/* Publishes the `bytes` bytes at run->payload, or that this rank has failed, and wakes who may wait for it. */
void engine_put(struct shm_run *run, size_t bytes);
/* What is sent must be what is due. */
void engine_check_sent(struct shm_run *run, size_t bytes, size_t due);

/* For `take`. */
void engine_take_nothing(struct shm_run *run);
/* The root's line, all of it; the root has it. */
void engine_take_result(struct shm_run *run);
/* Copies the line of a rank out, from byte `from` on. */
void engine_take_block(struct shm_run *run, int rank, size_t from, struct coll_block to);
/* Combines the vectors of all ranks into the result. */
void engine_combine_all(struct shm_run *run);
/* Combines the contributions of the ranks up to `last` from item `first` on into `out`, and into `shared` if there is one; in rank
 * order, the last ranks first. */
void engine_combine(struct shm_run *run, int last, MPI_Count first, struct coll_block out,
                    unsigned char *shared);

/* Bytes of a step whose lines are empty. */
size_t engine_due_nothing(const struct shm_run *run, int rank);

/* Packs `bytes` bytes of a block from byte `first` on, or unpacks so many as it has. */
void engine_copy_in(struct shm_run *run, struct coll_block in, size_t first, unsigned char *to, size_t bytes);
void engine_copy_out(struct shm_run *run, const void *from, struct coll_block to);
/* Unpacks bytes in the host's memory to a block, which a device may hold, from its byte `first` on. */
void engine_copy_part(struct shm_run *run, const void *from, struct coll_block to, size_t first,
                      size_t bytes);
/* Prefetches all cache lines of a payload at once: copying alone fetches a few at a time. */
void engine_prefetch(const unsigned char *data, size_t bytes);
/* Copies a rank's own block, unless it is in its place. */
void engine_keep_block(struct shm_run *run, struct coll_block from, struct coll_block to);

#endif
