/* buffer_use: the buffers of a call are not in use by operations under way (request_check.h) where one of the two writes. */
#ifndef INSIGHT_CHECKS_BUFFER_BUFFER_USE_H
#define INSIGHT_CHECKS_BUFFER_BUFFER_USE_H

#include "insight/call/intercept.h"
#include "insight/objects/request_record.h"

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
/* Says if a buffer that a call reads or writes is in use. */
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

#endif
