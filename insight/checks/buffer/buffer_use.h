/* buffer_use: the buffers of a call are not in use by operations under way (request_check.h) where one of the two writes. */
#ifndef INSIGHT_CHECKS_BUFFER_BUFFER_USE_H
#define INSIGHT_CHECKS_BUFFER_BUFFER_USE_H

#include "insight/call/intercept.h"
#include "insight/objects/comm_record.h"
#include "insight/objects/request_record.h"
#include "insight/objects/type_check.h"

/* The buffers of an access: what the origin gives, and what it gets. */
struct origin_buffers {
    const void *given, *got; /* NULL: none */
    int64_t given_count, got_count;
    MPI_Datatype given_type, got_type;
};

/* Says if an operation under way, but not `self`, uses this memory. */
void buffer_use_compare(struct intercept *call, const void *buffer, int64_t count, MPI_Datatype type,
                        bool is_written, const struct request_record *self);
struct origin_buffers buffer_use_of_access(const struct intercept *call);
/* Says if a buffer that a call reads or writes is in use, or is shorter than its count says. */
void buffer_use_look(struct intercept *call, const struct typed_buffer *buffer, bool is_written);
/* The same for the arguments of these roles, unless it is for MPI_PROC_NULL. */
void buffer_use_buffer(struct intercept *call, enum role buffer, enum role count, enum role type,
                       bool is_written);
/* The same for the buffers of an access to a window, which are in use until its epoch or a flush completes it. */
void buffer_use_access(struct intercept *call);
/* The same for the buffer that a collective writes. */
void buffer_use_collective(struct intercept *call);
/* Memory of a window is read before a blocking call, or was written by it. */
void buffer_use_window(struct intercept *call, enum role buffer, enum role count, enum role type,
                       bool is_written);
void buffer_use_window_collective(struct intercept *call);

/* blocks: the buffers that a collective reads and writes on a rank: one of contiguous blocks, or many by arrays of counts and
 * displacements.
 *
 * The arrays are copied: a program may have them on the stack of a function that returns too early, which is an error of its own.
 */

enum {
    BLOCKS = 64
};

struct buffer_block {
    const char *buffer;
    int64_t count;
    MPI_Datatype type;
};

struct blocks {
    uint64_t sum; /* 0: not begun, or a type is not known */
    int count;
    struct buffer_block block[BLOCKS];
};

/* False: none, or one of arrays. A broadcast's root has its buffer in both. */
bool blocks_sent_as_one(const struct intercept *call, struct buffer_block *sent);
bool blocks_written_as_one(const struct intercept *call, struct buffer_block *written);
/* NULL: the call has none on this rank, by other arguments, or more than are looked at. The caller frees them. */
struct blocks *blocks_sent(const struct intercept *call, const struct comm_record *comm);
struct blocks *blocks_received(const struct intercept *call, const struct comm_record *comm);
/* Sums them up; `blocks` may be NULL, also below. */
void blocks_begin(struct blocks *blocks);
bool blocks_are_as_they_were(const struct blocks *blocks);
/* The first block that has a byte in common with one before it, or with a buffer; -1: none. */
int blocks_find_double(const struct blocks *blocks);
int blocks_find_overlap(const struct blocks *blocks, const void *buffer, int64_t count, MPI_Datatype type);

/* The buffers of one call do not overlap where one of them is written (MPI-5.0 sections 2.3, 3.10 and 6.5). */

/* What MPI_Sendrecv or MPI_Isendrecv sends and receives. */
void buffer_overlap_sendrecv(struct intercept *call);
/* What a collective sends, and what it receives in `received` or in one block; NULL: none. */
void buffer_overlap_collective(struct intercept *call, const struct blocks *received);

/* kind_check: buffers are of the kinds that mpi_assert_memory_alloc_kinds names (MPI-5.0 sections 8.4.4, 12.5.3, 13.2.1).
 *
 * What MPI has allocated is known (mpi_memory.c). All other memory is the system's or a device's: where a device's kind is asserted,
 * memory that is not MPI's passes. Not looked at: buffers whose lengths are arrays, those of matched messages, and MPI_BOTTOM.
 */

/* What is asserted from now on of a communicator, window or file, from its info; `record` is the object's own. */
void kind_check_learn(const struct intercept *call, struct comm_record *record, MPI_Info info);
extern bool kind_check_is_wanted; /* something was asserted of some object */
/* Before a call: its buffers. */
void kind_check(struct intercept *call);
/* Memory that a window is made of. */
void kind_check_window(struct intercept *call, const struct comm_record *record);

/* request_memory: the memory that operations under way read and write. */

/* The operation begins to use its buffer, or no longer uses it. Of a plain one the span is set. */
void request_memory_take(struct request_record *r);
void request_memory_give_back(struct request_record *r);
/* The call completes it, or asks for it: says if its memory has been freed, or is of a function that has returned. NULL: nothing. */
void request_memory_look(struct intercept *call, struct request_record *r);
/* Of the operations under way one whose memory meets these bytes and that writes it, or, for one that writes, uses it, and of which
 * `is_it` says so; NULL: none. Buffers of blocks and of partitions are not looked at. */
struct request_record *request_memory_meeting(uintptr_t low, uintptr_t high, bool is_written,
                                              bool (*is_it)(const struct span *span, const void *with),
                                              const void *with);
/* False: there is none, and none has blocks or partitions there, as is seen at once. */
bool request_memory_may_meet(uintptr_t low, uintptr_t high, bool is_written);
/* How many of those under way have blocks or partitions. */
extern int request_memory_parted;

/* input_arrays: the arrays of counts, displacements and datatypes of a nonblocking collective must be left alone until it is
 * complete, and those of a persistent one until its request is freed (MPI-5.0 sections 6.12 and 6.13). Libraries copy them, so it is
 * a tolerance: row "arrays of counts" of docs/TOLERANCES.md. */

struct input_arrays {
    bool is_said;
    int count;
    struct input_array {
        const void *at;
        int64_t bytes;
        uint64_t sum;
    } array[6];
};

/* Those that are significant on this rank, summed up; NULL: none. The caller frees them. */
struct input_arrays *input_arrays_take(const struct intercept *call, const struct comm_record *comm);
/* A call completes the operation that `made` has begun, or frees its request. `arrays` may be NULL. */
void input_arrays_compare(struct intercept *call, struct input_arrays *arrays, const struct tracked *made);

#endif
