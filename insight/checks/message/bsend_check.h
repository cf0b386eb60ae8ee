/* bsend_check: what MPI_Bsend and its like send fits into the attached buffer (MPI-5.0 section 3.6).
 *
 * Each message needs its bytes and MPI_BSEND_OVERHEAD. It takes them until it is received, as far as this rank can have learned of
 * that (order_clock.h), or until a flush. A library may do with less, since it may deliver a message at once: another need not.
 */
#ifndef INSIGHT_CHECKS_MESSAGE_BSEND_CHECK_H
#define INSIGHT_CHECKS_MESSAGE_BSEND_CHECK_H

#include "insight/call/type_signature.h"
#include "insight/objects/comm_record.h"

/* There is a buffer. */
extern bool bsend_check_is_wanted;

/* A message is sent by `sender`, to this rank of MPI_COMM_WORLD, or to none that is known. */
void bsend_check_sending(struct intercept *call, const struct procedure *sender,
                         const struct comm_record *comm, int to, const struct type_signature *signature);

#endif
