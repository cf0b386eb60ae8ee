/* kind_check: buffers are of the kinds that mpi_assert_memory_alloc_kinds names (MPI-5.0 sections 8.4.4, 12.5.3, 13.2.1).
 *
 * What MPI has allocated is known (mpi_memory.h). All other memory is the system's or a device's: where a device's kind is asserted,
 * memory that is not MPI's passes. Not looked at: buffers whose lengths are arrays, those of matched messages, and MPI_BOTTOM.
 */
#ifndef INSIGHT_CHECKS_BUFFER_KIND_CHECK_H
#define INSIGHT_CHECKS_BUFFER_KIND_CHECK_H

#include "insight/objects/comm_record.h"

/* What is asserted from now on of a communicator, window or file, from its info; `record` is the object's own. */
void kind_check_learn(const struct intercept *call, struct comm_record *record, MPI_Info info);
extern bool kind_check_is_wanted; /* something was asserted of some object */
/* Before a call: its buffers. */
void kind_check(struct intercept *call);
/* Memory that a window is made of. */
void kind_check_window(struct intercept *call, const struct comm_record *record);

#endif
