/* message_check: each message has the type signature that its receive asks for (MPI-5.0 section 3.3.1), and is received.
 *
 * A sender puts an envelope into the board's channel to the receiver before the send. Messages of one sender, communicator and
 * tag are received in order, so when a receive has completed, the next envelope that fits is that of its message; but only if no
 * receive that was posted earlier and could take the message is still open. Then the receive waits for that one.
 * Where several threads make calls their order says nothing, and envelopes are dropped.
 *
 * The envelope is a cache line that the sender has just written. MPI_Recv only asks for it: to wait for it would delay the answer
 * by the time that a line takes from core to core, as much as half of what a small message takes. The watchdog looks at what no call has.
 */
#ifndef INSIGHT_CHECKS_MESSAGE_MESSAGE_CHECK_H
#define INSIGHT_CHECKS_MESSAGE_MESSAGE_CHECK_H

#include "insight/board/message_channel.h"
#include "insight/objects/comm_record.h"
#include "insight/objects/posted_receive.h"

/* A message is sent by a call, or by MPI_Start for the call that made the request. */
void message_check_put(struct intercept *call, const struct procedure *sender, struct comm_record *comm,
                       int dest, int tag, const struct type_signature *signature);
/* The number of the last message to that rank of MPI_COMM_WORLD. */
uint64_t message_check_last(int to);
/* It was received, if the send was synchronous. */
void message_check_acknowledged(const struct procedure *sender, const struct comm_record *comm, int dest);
struct posted_receive *message_check_post(struct intercept *call, struct comm_record *comm, int source,
                                          int tag, const struct type_signature *signature);
/* As one that was made by an earlier call. */
void message_check_post_again(struct posted_receive *posted, void *site);
/* The receive has completed with this status, or with MPI_ERR_TRUNCATE. */
void message_check_done(struct intercept *call, struct posted_receive *posted, const MPI_Status *status,
                        int error);
/* It was cancelled. */
void message_check_drop(struct posted_receive *posted);
/* Nobody will know when it is complete. */
void message_check_abandon(struct posted_receive *posted);
/* Whether a message that would match is under way. */
bool message_check_is_coming(const struct comm_record *comm, int source, int tag);
/* ... and is not taken by a receive that was posted before. */
bool message_check_is_coming_to(const struct posted_receive *posted);
/* Whether a receive under way, or one that is over and whose message has not been looked at, may take the message of an envelope. */
bool message_check_is_wanted(const struct message_envelope *e);
/* Tells the senders which of their messages have come to receives that are under way. Such a send needs nothing else of this rank. */
void message_check_tell_taken(void);
/* Whether this rank's message of that number (message_check_last) to a rank of MPI_COMM_WORLD is one of these, as far as is known. */
bool message_check_is_taken(int to, uint64_t number);
/* Messages that nobody has received when all ranks have called MPI_Finalize. */
void message_check_lost(struct intercept *call);
/* A matched message is received. */
void message_check_taken(struct intercept *call);
/* The program has used a status that is watched. */
void message_check_take_hits(void);
/* Looks at the messages of receives that have completed. */
void message_check_settle(void);
/* There are some: on the way of small messages they are left for later, when the next call begins that does not send. */
extern bool message_check_is_late;
/* What was sent from here can no longer be told apart: a send was cancelled. */
void message_check_forget(const struct comm_record *comm, int dest);

#endif
