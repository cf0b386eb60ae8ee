/* aggregators: the ranks that read and write for all in collective buffering (collective_buffering.h), and their buffers.
 *
 * They are chosen at the first collective access of a file, and again after hints have changed: cb_nodes of them,
 * spread over the hosts and over the ranks of each host. Without that hint a host has as many as it has cores, but
 * no more than ranks. Buffers are made when they are first used.
 *
 * A buffer is memory that the processes of the host can map. It has two halves, each with a window of cb_block_size
 * bytes, or fewer if cb_buffer_size is less than all of it takes; then a whole number of the file system's blocks, if one
 * fits. Of a file with a known layout (striping.c) it is a whole number of stripes, if one fits. A half belongs to its aggregator or to all ranks, by turns, as collective_buffering.h says; the barriers between order plain
 * loads and stores. Behind the halves is memory of the aggregator alone, for the bytes between those that ranks have put.
 */
#ifndef FILE_AGGREGATORS_H
#define FILE_AGGREGATORS_H

#include "file/coverage.h"
#include "file/file.h"

struct aggregators {
    int count;
    int mine;          /* the number of this rank among them; -1: it is none */
    int64_t nodes;     /* cb_nodes when they were chosen */
    MPI_Offset window; /* bytes; windows begin at its multiples */
    MPI_Offset room;   /* bytes of an aggregator's own memory, below */
    unsigned char *
        *at; /* by aggregator: where this process maps its buffer; NULL: it does not. NULL: no buffers yet */
    unsigned char *mapped;            /* [rank * count + aggregator]: whether that rank maps it */
    void *buffer;                     /* this rank's own; NULL: it has none */
    struct by_message_parcel *parcel; /* by aggregator (by_message.c); NULL: no buffers yet */
    struct collective_part *part;     /* by rank, of the access under way (collective_buffering.h) */
    struct rounds_stretch *stretch;   /* of these (rounds.h); as many, at most */
    int rank[];                       /* by aggregator */
};

/* Those of a file; they stay the file's. Collective. */
int aggregators_of(struct file *file, struct aggregators **found);
/* Makes the buffers, if there are none yet. MPI_ERR_NO_MEM on all ranks if one has no memory. Collective. */
int aggregators_open(struct file *file, struct aggregators *a);
/* Hints have changed, alike on all ranks: drops aggregators that were chosen by others. */
void aggregators_adapt(struct file *file);
void aggregators_free(struct file *file);

/* A half, as this process maps it. */
struct aggregator_half {
    MPI_Offset *got;         /* how many bytes of a window that was read there are */
    struct coverage covered; /* which bytes ranks have put into a window; none between calls */
    unsigned char *window;   /* NULL: this process does not map it */
};

/* The half of an aggregator's buffer that this round uses. */
struct aggregator_half aggregators_half(const struct aggregators *a, int aggregator, MPI_Offset round);
/* Memory of this rank, which is an aggregator: `room` bytes that no other rank touches. */
unsigned char *aggregators_room(const struct aggregators *a);

#endif
