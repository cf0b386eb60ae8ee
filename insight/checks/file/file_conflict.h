/* file_conflict: accesses of several ranks to the same bytes of a file that they have opened together (MPI-5.0 section 14.6.1).
 *
 * Where neither MPI_File_sync, nor another open or close, lies between, and the file is not in atomic mode, what a write and another
 * access of the same bytes leave is not defined. If nothing orders the two (order_clock.h) that is a finding, else a tolerance: on
 * one host the order suffices. Small writes of the same bytes pass. Shared file pointers are left out, and accesses in more than FILE_PARTS pieces.
 */
#ifndef INSIGHT_CHECKS_FILE_FILE_CONFLICT_H
#define INSIGHT_CHECKS_FILE_FILE_CONFLICT_H

#include "insight/objects/comm_record.h"
#include "insight/objects/file_record.h"

enum {
    FILE_ACCESSES = 64, /* to a file, the last ones */
    FILE_PARTS = 8
};

void file_conflict_opened(const struct intercept *call, struct file_order *order,
                          const struct comm_record *comm);
void file_conflict_closed(struct file_order *order);
/* MPI_File_sync, MPI_File_set_atomicity or MPI_File_set_view has been called. */
void file_conflict_changed(const struct intercept *call, struct file_order *order);
void file_conflict_before(struct intercept *call);
void file_conflict_after(struct intercept *call);

#endif
