/* comm_loss: communicators that are over because a member has died, or somebody has revoked them, and the windows and files made of them.
 * What ranks do on them from then on is not compared: some know of it, others do not yet (board/loss.h). */
#ifndef INSIGHT_OBJECTS_COMM_LOSS_H
#define INSIGHT_OBJECTS_COMM_LOSS_H

#include "insight/board/loss.h"
#include "insight/objects/comm_record.h"
#include "insight/objects/request_record.h"

/* What an error says. */
enum comm_loss {
    LOSS_NOT,
    LOSS_FAILED,
    LOSS_PENDING, /* the request is still under way */
    LOSS_REVOKED
};

enum comm_loss comm_loss_of_error(int error);
/* NULL: it is not. */
bool comm_loss_is_over(const struct comm_record *comm);
/* An operation under way on such an object: the library below ends it, whether the program waits for it or not. */
bool comm_loss_has_ended(const struct request_record *r);
/* A call has returned an error, or a request on this communicator has ended with one; NULL: on none that is known. */
void comm_loss_learn_of_call(const struct intercept *call, int error);
void comm_loss_learn(const struct comm_record *comm, int error);
/* Marks all that are over: who frees one, or ends, looks at messages by number alone. */
void comm_loss_mark_all(void);

#endif
