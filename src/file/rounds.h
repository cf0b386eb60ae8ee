/* rounds: the state of one collective access through buffers (collective_buffering.h), as one rank sees it. */
#ifndef FILE_ROUNDS_H
#define FILE_ROUNDS_H

#include "file/aggregators.h"
#include "file/collective_buffering.h"

/* Goes through the runs of an access once, window by window. */
struct rounds_cursor {
    struct view_walk walk;
    struct file_run run; /* what is left of the run in which it stands; bytes 0: nothing */
    MPI_Offset data;     /* where that is in the access */
};

/* Windows one behind the other, in each of which a rank has a part. No two stretches share a window. */
struct rounds_stretch {
    struct file_run run; /* from the first part to the end of the last */
    MPI_Offset number;   /* of its first window, among all that are moved */
};

struct rounds_window {
    MPI_Offset begin, limit; /* of the file; the limit is its end, or the largest offset */
    struct file_run touched; /* what of it lies in the stretch */
};

struct rounds {
    struct file *file;
    struct file_access *access; /* bytes 0: this rank has no data */
    struct aggregators *a;
    struct rounds_stretch *stretch; /* in the order of the file; owned by the aggregators */
    int stretches;
    MPI_Offset count; /* of windows; they are numbered in the order of the file, and others do not count */
    struct rounds_cursor cursor;
    MPI_Offset data_end; /* where the access's data ends: its bytes, or fewer where the file has ended */
    int error;           /* the first of this rank */
};

/* Finds the windows, from the parts of all ranks. */
void rounds_lay_out(struct rounds *r);
/* The window of this number. */
struct rounds_window rounds_window(const struct rounds *r, MPI_Offset number);
/* The next run of the access before `limit`, cut there, and where its data begins. False: there is none. */
bool rounds_next(struct rounds_cursor *cursor, MPI_Offset limit, struct file_run *run, MPI_Offset *data);
/* How much of `bytes` bytes at `at` of a window the aggregator has read. */
MPI_Offset rounds_got(const struct aggregator_half *half, MPI_Offset at, MPI_Offset bytes);
/* Keeps the first error. */
void rounds_fail(struct rounds *r, int error);
/* Of `bytes` bytes of data from `data` on only the first `got` were read. */
void rounds_end_data(struct rounds *r, MPI_Offset data, MPI_Offset bytes, MPI_Offset got);

/* by_message: how ranks that do not map an aggregator's buffer take part in a round of collective buffering
 * (collective_buffering.h): by messages on the file's communicator.
 *
 *     write   rank to aggregator: the runs that it has in the window, and their data
 *     read    rank to aggregator: the runs; back: the data, up to the end of the file
 *
 * Only ranks whose stretch of the file meets the window send. Aggregators know these stretches, and wait for their
 * messages, which may be without runs.
 *
 * No rank waits for one that has no memory: that rank sends an empty message instead of the one that it cannot send, and
 * reports its error at the end. A rank that has no memory even for that, or none to receive, ends the job.
 */

/* What a rank has sent to an aggregator in this round. */
struct by_message_parcel {
    unsigned char *message; /* owned; NULL: nothing was sent */
    struct request *sending;
    MPI_Offset data, bytes; /* the data of the runs in the access */
    unsigned char *answer;  /* owned; room for them, in a read; NULL: no answer comes */
    struct request *receiving;
};

/* Takes this rank's runs in the aggregator's window off the cursor, and sends them. */
void by_message_send(struct rounds *r, int aggregator, const struct rounds_window *window);
/* Aggregator: receives what ranks have sent for its window. In a write it puts the data into the half. In a read it
 * answers from there. */
void by_message_serve(struct rounds *r, const struct rounds_window *window,
                      const struct aggregator_half *half);
/* Waits for what was sent; in a read, for the answers, which it puts into memory. */
void by_message_finish(struct rounds *r);

#endif
