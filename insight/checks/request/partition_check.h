/* partition_check: partitions of a send under way are left alone once they are ready, those of a receive until they have arrived, and
 * both sides have the same types (MPI-5.0 section 4.2).
 *
 * The program's own loads and stores in partitions of a receive are seen at the first bytes of few of them (watchpoint.h). */
#ifndef INSIGHT_CHECKS_REQUEST_PARTITION_CHECK_H
#define INSIGHT_CHECKS_REQUEST_PARTITION_CHECK_H

#include "insight/guard/watchpoint.h"
#include "insight/objects/comm_record.h"
#include "insight/objects/partition_record.h"
#include "insight/objects/request_record.h"

/* A request has been made by MPI_Psend_init or MPI_Precv_init. */
void partition_check_describe(struct request_record *r, const struct intercept *call);
/* It starts: no partition is ready, and both sides' types are compared. */
void partition_check_start(struct intercept *call, struct request_record *r, struct comm_record *comm);
/* The program has used a partition that has not arrived, since it was asked last. */
bool partition_check_take_hit(const struct partitions *p, struct watchpoint_hit *hit);
void partition_check_unwatch(struct partitions *p);
/* The request is complete. */
void partition_check_done(struct intercept *call, const struct request_record *r, int error);

#endif
