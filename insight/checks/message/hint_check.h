/* hint_check: the assertions of communicators hold (MPI-5.0 section 7.4.4). */
#ifndef INSIGHT_CHECKS_MESSAGE_HINT_CHECK_H
#define INSIGHT_CHECKS_MESSAGE_HINT_CHECK_H

#include "insight/board/finding_list.h"
#include "insight/objects/comm_record.h"
#include "insight/objects/posted_receive.h"

/* What is asserted of the communicator from now on. */
void hint_check_learn(const struct intercept *call, struct comm_record *comm, MPI_Comm handle);
void hint_check_wildcards(struct intercept *call, const struct comm_record *comm, int source, int tag);
void hint_check_length(struct intercept *call, const struct posted_receive *posted, struct call_place send,
                       const char *sent, const char *room);

#endif
