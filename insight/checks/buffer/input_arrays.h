/* input_arrays: the arrays of counts, displacements and datatypes of a nonblocking collective must be left alone until it is
 * complete, and those of a persistent one until its request is freed (MPI-5.0 sections 6.12 and 6.13). Libraries copy them, so it is
 * a tolerance: row "arrays of counts" of docs/TOLERANCES.md. */
#ifndef INSIGHT_CHECKS_BUFFER_INPUT_ARRAYS_H
#define INSIGHT_CHECKS_BUFFER_INPUT_ARRAYS_H

#include "insight/objects/comm_record.h"

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
