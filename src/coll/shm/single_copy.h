/* single_copy: collectives of ranks of one host, straight between their buffers, for large messages.
 *
 * A call takes two steps (engine.h). In the first, each rank publishes a descriptor of its buffers. Then each rank copies what it wants
 * out of the others' buffers, or combines its piece of their vectors, portion by portion, and stores it where it is wanted. The second
 * step is a barrier: no rank leaves while its buffers are in use. There are two synchronizations, no messages, no matching, and few
 * wake-ups where ranks outnumber cores.
 *
 * The descriptor says how others access a buffer. Memory of MPI_Alloc_mem is mapped and used in place where
 * mpi_assert_memory_alloc_kinds says that all buffers are such memory. Any other memory is read and written by the transport
 * (transport.h: copy), which needs the system's permission. A buffer that others cannot access (items with gaps, memory of a device,
 * memory that the system protects) goes through a *bounce buffer* in mapped memory. So does a result whose place others still read.
 * Whether mapping or the transport works between all ranks is found out when the mailboxes are made, so all ranks choose alike.
 *
 * Large buffers are gone through forwards and backwards in turn: what one call has left in the cache is where the next one begins.
 */
#ifndef COLL_SHM_SINGLE_COPY_H
#define COLL_SHM_SINGLE_COPY_H

#include "coll/shm/engine.h"

enum {
    LARGEST_ITEM = 16 * 1024, /* that is combined */
    DESCRIPTOR_BYTES = 32     /* of a rank's buffers */
};

/* What this rank's buffers are for: bits. */
enum single_copy_use {
    USE_INPUT = 1,   /* others read the input */
    USE_RESULT = 2,  /* this rank has a result */
    USE_PUT = 4,     /* others store into the result */
    USE_SWAP = 8,    /* in place: others swap their blocks for those of this rank */
    USE_READ_ON = 16 /* in place others read the input until all have combined */
};

/* A rank's buffer, as this rank accesses it. */
struct single_copy_buffer {
    uint64_t address;  /* in its owner's memory ... */
    unsigned char *at; /* ... and in this rank's; NULL: only the transport does */
};

/* A call whose descriptors are all there. */
struct single_copy {
    struct shm_run *run;
    struct mailboxes *boxes;
    int rank, size;
    bool is_backward, is_fetched; /* is_fetched: some rank's vector is not mapped */
    unsigned char *out;           /* where this rank's result goes, for now; NULL: to items
                         with gaps */
    unsigned char *scratch;       /* for two portions; owned by the mailboxes */
    struct single_copy_buffer in[MAILBOX_RANKS], result[MAILBOX_RANKS];
};

/* For `put` of the first step: publishes the descriptor. uses: bits of enum single_copy_use. */
bool single_copy_expose(struct shm_run *run, unsigned uses);
/* For its `take`: `move` is this rank's part. */
void single_copy_move(struct shm_run *run, int move(const struct single_copy *c));
size_t single_copy_due(const struct shm_run *run, int rank);
/* Whether the input is the result. */
bool single_copy_is_in_place(const struct coll_call *call);

/* For `move`. Copies bytes of a rank's input, from its byte `from` on, to this rank's result. */
int single_copy_take(const struct single_copy *c, int rank, size_t from, size_t to, size_t bytes);
/* Calls it for each rank, in an order that keeps the ranks apart. */
int single_copy_each(const struct single_copy *c, int take(const struct single_copy *c, int rank));
/* In place: swaps another rank's block for this rank with this rank's for the other. */
int single_copy_swap(const struct single_copy *c, int rank, size_t each);
/* Combines the bytes from `begin` to `end` of all ranks' vectors: at `out`, or where that is NULL apart; `store` puts each portion where
 * it is wanted besides, NULL: nowhere. */
int single_copy_combine(const struct single_copy *c, size_t begin, size_t end, unsigned char *out,
                        int store(const struct single_copy *c, size_t at, size_t bytes, const void *sum));
/* The same of this rank's piece, one rank's being larger by some 8ths where `root_more` is not 0. */
int single_copy_combine_piece(const struct single_copy *c, int root_more,
                              int store(const struct single_copy *c, size_t at, size_t bytes,
                                        const void *sum));
/* Copies bytes into a rank's result. */
int single_copy_store(const struct single_copy *c, int rank, size_t at, const void *from, size_t bytes);

/* The call is over; of another algorithm nothing is to be done. */
void single_copy_end(struct shm_run *run);

#endif
