/* by_message: how ranks that do not map an aggregator's buffer take part in a round of collective buffering
 * (collective.h): by messages on the file's communicator.
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
#ifndef FILE_BY_MESSAGE_H
#define FILE_BY_MESSAGE_H

#include "file/rounds.h"

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
