/* partition_check: partitions of a send under way are left alone once they are ready, those of a receive until they have arrived, and
 * both sides have the same types (MPI-5.0 section 4.2).
 *
 * The program's own loads and stores in partitions of a receive are seen at the first bytes of few of them (watchpoint.h). */
#ifndef INSIGHT_PARTITION_CHECK_H
#define INSIGHT_PARTITION_CHECK_H

#include "insight/request_check.h"
#include "insight/watchpoint.h"

enum {
    PARTITIONS_WATCHED = 16, /* the first ones and the last */
    PARTITIONS_BY_HARDWARE = 3
};

/* What is known of the partitions of one request. */
struct partitions {
    const char *buffer;
    int64_t count; /* of items in each */
    MPI_Datatype type;
    int total;
    bool is_received;
    struct {
        int partition, watchpoint;
    } watch[PARTITIONS_WATCHED];
    uint64_t sum[]; /* of each since it is ready; 0: it is not. Of a receive 1: it has arrived */
};

/* A request has been made by MPI_Psend_init or MPI_Precv_init. */
void partition_check_describe(struct request_record *r, const struct intercept *call);
/* It starts: no partition is ready, and both sides' types are compared. */
void partition_check_start(struct intercept *call, struct request_record *r, struct comm_record *comm);
/* The program has used a partition that has not arrived, since it was asked last. */
bool partition_check_take_hit(const struct partitions *p, struct watchpoint_hit *hit);
void partition_check_unwatch(struct partitions *p);
/* The partition that a call may not use so; -1: none. */
int partition_check_overlap(const struct partitions *p, const void *buffer, int64_t count, MPI_Datatype type,
                            bool is_written);
/* The request is complete. */
void partition_check_done(struct intercept *call, const struct request_record *r, int error);

#endif
