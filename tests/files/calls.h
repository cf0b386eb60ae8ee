/* calls: the one of the chapter's 38 procedures of data access that an access asks for, in its small or large
 * form. */
#ifndef TESTS_FILES_CALLS_H
#define TESTS_FILES_CALLS_H

#include "buffer.h"

struct call {
    struct access *access;
    struct buffer buffer;
    MPI_Request request;
    MPI_Status status;
};

void call_begin(MPI_File fh, struct call *c, const struct etype *e, struct access *a);
/* Of split accesses; of nonblocking ones once their request is complete. Compares, and frees the buffer. */
void call_end(MPI_File fh, struct call *c, const struct etype *e);

#endif
