/* partition_check: partitions of a send under way are left alone once they are ready, and both sides have the same types
 * (MPI-5.0 section 4.2). */
#ifndef INSIGHT_PARTITION_CHECK_H
#define INSIGHT_PARTITION_CHECK_H

#include "insight/request_check.h"

/* What is known of the partitions of one request. */
struct partitions {
    const char *buffer;
    int64_t count; /* of items in each */
    MPI_Datatype type;
    int total;
    uint64_t sum[]; /* of each since it is ready; 0: it is not */
};

/* A request has been made by MPI_Psend_init or MPI_Precv_init. */
void partition_check_describe(struct request_record *r, const struct intercept *call);
/* It starts: no partition is ready, and both sides' types are compared. */
void partition_check_start(struct intercept *call, struct request_record *r, struct comm_record *comm);
/* The request is complete. */
void partition_check_done(struct intercept *call, const struct request_record *r, int error);

#endif
