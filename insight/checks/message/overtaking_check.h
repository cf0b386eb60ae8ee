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
#ifndef INSIGHT_CHECKS_MESSAGE_OVERTAKING_CHECK_H
#define INSIGHT_CHECKS_MESSAGE_OVERTAKING_CHECK_H

#include "insight/checks/message/race_check.h"

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
