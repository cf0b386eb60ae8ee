/* message_check: each message has the type signature that its receive asks for (MPI-5.0 section 3.3.1), and is received.
 *
 * A sender puts an envelope into the board's channel to the receiver before the send. Messages of one sender, communicator and
 * tag are received in order, so when a receive has completed, the next envelope that fits is that of its message; but only if no
 * receive that was posted earlier and could take the message is still open. Then the receive waits for that one.
 * Where several threads make calls their order says nothing, and envelopes are dropped.
 *
 * The envelope is in a cache line that the sender has just written. MPI_Recv only asks for it: to wait for it would delay the answer
 * by the time that a line takes from core to core, as much as half of what a small message takes. The watchdog looks at what no call has.
 */
#ifndef INSIGHT_CHECKS_MESSAGE_MESSAGE_CHECK_H
#define INSIGHT_CHECKS_MESSAGE_MESSAGE_CHECK_H

#include "insight/board/finding_list.h"
#include "insight/board/message_channel.h"
#include "insight/call/intercept.h"
#include "insight/call/type_signature.h"
#include "insight/checks/message/buffering_check.h"
#include "insight/objects/comm_record.h"
#include "insight/objects/request_record.h"

/* race_check: receives of MPI_ANY_SOURCE that could have taken another message, where that matters (MPI-5.0 section 3.5).
 *
 * Each rank keeps the last receives of MPI_ANY_SOURCE that have completed. A message of another sender that is received later,
 * fits such a wildcard, and was sent by a rank that could not have learned of its completion (order_clock.h) might have been taken
 * by it. That is a race if the message has another type than the wildcard's receive asks for. It is one, too, if a receive posted
 * later names the message's sender and waits for it, and nothing that this sender sends is received by a wildcard afterwards: then that receive
 * would wait for ever. This is known when all ranks have called MPI_Finalize.
 *
 * A right program may name a sender because of who came first ("the other one"). So receives count only if the program did not
 * have the wildcard's status before it posted them, and senders that a wildcard or a probe has found are not looked at. Nor are
 * receives that only MPI_Test, MPI_Waitany, or MPI_Waitsome has completed: the program may do without. No race is found where
 * several threads make calls, or in jobs of more than ORDER_RANKS ranks.
 */

/* What is known of a message when its receive is looked at. */
struct race_message {
    int from; /* rank in MPI_COMM_WORLD */
    int tag;
    uint32_t known;      /* the receiver's interval that its sender knew of */
    bool is_synchronous; /* its sender knows that it was received */
    bool is_behind;      /* an earlier message of its sender, on its communicator, is not received yet */
    struct call_place place;
    const struct type_signature *signature;
};

/* A receive of MPI_ANY_SOURCE or a probe is about to wait: from here on ranks keep clocks. */
void race_check_begin(int source);
/* Whether this receive is a wildcard, or there was one before. */
bool race_check_is_wanted(const struct posted_receive *posted);
/* A receive has got this message. */
void race_check_received(struct intercept *call, const struct posted_receive *posted,
                         const struct race_message *message);
/* A wildcard has found a message of this rank of MPI_COMM_WORLD. */
void race_check_found(int world);
/* All messages have been received. */
void race_check_end(void);

/* Messages of which it is not known whether they were sent or taken (message_channel.h). */

/* A receive has ended because of a death, or of a revocation. It may have had a message of the dead, which others follow. */
void message_doubt_receive(const struct posted_receive *posted, int error);
bool message_doubt_is_of(const struct posted_receive *p, int from);

/* In saved[] of a call that sends: the receiver in MPI_COMM_WORLD, -1: unknown, and the number of the message. */
enum {
    SENT_TO,
    SENT_NUMBER
};

/* A message is sent by a call, or by MPI_Start for the call that made the request. The receiver in MPI_COMM_WORLD; -1: unknown. Where it
 * is known `number` gets that of the message, unless it is NULL. */
int message_check_put(struct intercept *call, const struct procedure *sender, struct comm_record *comm,
                      int dest, int tag, const struct type_signature *signature, uint64_t *number);
/* The same, and writes the two down. */
void message_check_put_of_call(struct intercept *call, struct comm_record *comm, int dest, int tag,
                               const struct type_signature *signature);
/* The number of the last message to that rank of MPI_COMM_WORLD. */
uint64_t message_check_last(int to);
/* It was received, if the send was synchronous. */
void message_check_acknowledged(const struct procedure *sender, int to);
struct posted_receive *message_check_post(struct intercept *call, struct comm_record *comm, int source,
                                          int tag, const struct type_signature *signature);
/* As one that was made by an earlier call. */
void message_check_post_again(struct posted_receive *posted, void *site);
/* The receive has completed with this status, or with MPI_ERR_TRUNCATE. */
void message_check_done(struct intercept *call, struct posted_receive *posted, const MPI_Status *status,
                        int error);
/* Looks at the messages of receives that have completed, as far as they are known: after the last that a call has completed. */
void message_check_resolve(struct intercept *call);
/* It was cancelled. */
void message_check_drop(struct posted_receive *posted);
/* Nobody will know when it is complete. */
void message_check_abandon(struct posted_receive *posted);
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
/* The program has called MPI_Cancel. */
extern bool message_check_cancels;
/* What was sent from here can no longer be told apart: a send was cancelled. */
void message_check_forget(const struct comm_record *comm, int dest, int error);

/* The receives that are under way, or whose messages have not been looked at, in the order in which they were posted. */
extern struct posted_receive *message_check_posted;
/* The receive of this communicator and tag takes such a message. */
static inline bool message_check_fits(const struct message_envelope *e, uint64_t comm, int tag)
{
    return e->comm == comm && (tag == MPI_ANY_TAG || e->tag == tag);
}

/* message_coming.c: which messages these meet. */

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

/* bsend_check: what MPI_Bsend and its like send fits into the attached buffer (MPI-5.0 section 3.6).
 *
 * Each message needs its bytes and MPI_BSEND_OVERHEAD. It takes them until it is received, as far as this rank can have learned of
 * that (order_clock.h), or until a flush. A library may do with less, since it may deliver a message at once: another need not.
 */

/* There is a buffer. */
extern bool bsend_check_is_wanted;

/* A message is sent by `sender`, to this rank of MPI_COMM_WORLD, or to none that is known. */
void bsend_check_sending(struct intercept *call, const struct procedure *sender,
                         const struct comm_record *comm, int to, struct type_signature signature);

/* hint_check: the assertions of communicators hold (MPI-5.0 section 7.4.4). */

/* What is asserted of the communicator from now on. */
void hint_check_learn(const struct intercept *call, struct comm_record *comm, MPI_Comm handle);
/* A receive or a probe with these; `comm` may be NULL. */
void hint_check_wildcards(struct intercept *call, const struct comm_record *comm, int source, int tag);
void hint_check_length(struct intercept *call, const struct posted_receive *posted, struct call_place send,
                       const char *sent, const char *room);

/* Messages that one thread has found by MPI_Probe, and another may receive (MPI-5.0 section 3.8.1).
 *
 * A thread that has probed receives what it has found, unless another has received that meanwhile, or has found it too. Then a receive of
 * the first one takes another message, or waits. MPI_Mprobe is meant for that.
 */

/* This thread has found a message by MPI_Probe or MPI_Iprobe. */
void race_probe_found(const struct intercept *call, const MPI_Status *status);
/* This thread is about to receive. */
void race_probe_receive(struct intercept *call);

/* overtaking_check: programs that assert mpi_assert_allow_overtaking and rely on the order of messages all the same (MPI-5.0
 * sections 4.5 and 8.4.4).
 *
 * Each rank keeps the last receives that have completed on such communicators. A message of the same sender that fits such a
 * receive, and was sent by a rank that could not have learned of its completion (order_clock.h), might have been matched in its place. The
 * program relies on order if it cannot bear that:
 *
 * - the later message has another type than the earlier receive asks for, or is longer;
 * - the earlier message has another type than the later receive asks for, or is longer, and both receives were under way at once;
 * - the earlier receive names MPI_ANY_TAG, and the later one a tag that only its own message has: it would wait for ever.
 *
 * Nothing is said of messages whose receives are alike: whether the program cares which comes first is not seen in its calls. Nor of
 * receives of what a probe has found, of messages of synchronous sends, which are known to be matched, and of tags that a program
 * names when it knows those of messages before.
 */

/* A communicator allows overtaking: from here on ranks keep clocks. */
void overtaking_check_begin(void);
bool overtaking_check_is_wanted(const struct posted_receive *posted);
/* A receive has got this message. */
void overtaking_check_received(struct intercept *call, const struct posted_receive *posted,
                               const struct race_message *message);
/* A probe of MPI_ANY_TAG has told the program of a message of this rank of MPI_COMM_WORLD. */
void overtaking_check_told(int world);
/* All messages have been received. */
void overtaking_check_end(void);

#endif
