/* collective_buffering: moves the accesses that all ranks make together (MPI-5.0 section 14.4.1), by collective buffering.
 *
 * Where the runs of the ranks lie between each other, each rank would make many small calls. Some ranks, the
 * *aggregators* (aggregators.h), make few large ones for all. The file is cut into windows of one size. Those in which
 * a rank has a part, and no others, are dealt to the aggregators in turn (rounds.h). A round has one window of each:
 *
 *     write   all ranks put their data into the aggregators' buffers; barrier; these write their windows
 *     read    the aggregators read their windows; barrier; all ranks take their data
 *
 * Buffers have two halves, used in turn, so one barrier a round is enough, and the ranks go on with the next round
 * while aggregators are busy. A rank that maps an aggregator's buffer copies straight into it or from it. Others send
 * messages (by_message.c).
 *
 * Gaps. Ranks mark the bytes that they put (coverage.h), and the aggregator writes these and no others. Only where
 * independent accesses of this rank could be sieved as well (independent.h) it fills the gaps with what the file
 * has, under a lock of the range, and writes all of it at once.
 *
 * Accesses that are converted go piece by piece (access.h), in as many calls of this kind as the rank with most pieces
 * makes.
 *
 * Writes of so few bytes that they fit beside the description of the access are *carried* there. When they meet one window, its
 * aggregator has all of it after the first exchange, writes, and tells how that went: no barrier, and nobody waits but for it.
 *
 * Streams (raw.c) are not buffered. Each rank moves its access after the ranks before it, since the data that comes
 * first lies first; only ordered accesses can be collective there.
 *
 * All ranks exchange their parts at the beginning, and estimate from these whether buffering pays (cost.h). It is never used in
 * atomic mode, nor where a view's runs are not in order.
 *
 * Errors. An aggregator that cannot read or write goes on with the rounds. At the end all ranks get the error, and fail. Where the job
 * survives that a rank is lost, who learns of it leaves the access, and revokes the file's communicator: others may wait for its messages.
 */
#ifndef FILE_COLLECTIVE_BUFFERING_H
#define FILE_COLLECTIVE_BUFFERING_H

#include "file/access.h"

enum {
    PART_CARRIES = 16 /* bytes, at most */
};

/* What a rank sends the others about its access. */
struct collective_part {
    MPI_Offset begin, end; /* the stretch of the file in which it lies */
    MPI_Offset bytes;      /* 0: it has no data */
    uint32_t is_ordered;   /* it may be buffered */
    uint32_t is_carried;   /* it is a write of one run in one piece, and here is its data */
    union {
        struct {
            MPI_Offset runs;   /* about how many */
            MPI_Offset pieces; /* of its access; see access.h */
        };
        unsigned char data[PART_CARRIES];
    };
};

/* Collective. `error`: of this rank so far; then it takes part without data, and access is not looked at. Returns the
 * error of this rank. */
int collective_move(struct file *file, bool is_write, struct file_access *access, int error);
/* The same, but moves nothing that each rank may move by itself: access->is_moved says whether it did. */
int collective_try(struct file *file, bool is_write, struct file_access *access, int error);

#endif
