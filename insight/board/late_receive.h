/* late_receive: the message of a receive that is over, compared with it (message_check.h): by its rank, or when that is dead by who tells
 * the findings, mpiexec or the keeper, from what stands on the board (board.h).
 */
#ifndef INSIGHT_BOARD_LATE_RECEIVE_H
#define INSIGHT_BOARD_LATE_RECEIVE_H

#include "insight/board/board.h"

/* False: the message fits. Else fills in class, text and fix of a finding. */
bool late_receive_differs(const struct late_receive *receive, const struct type_signature *sent,
                          struct finding *found);
/* Adds what dead ranks did not come to say: differences of their last messages. */
void late_receive_tell(struct board *of);

#endif
