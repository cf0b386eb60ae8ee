/* comm_check: communicators, and a number for each that all its members work out alike, without a message.
 *
 * The number is a hash of the parent's, of how many objects have been made from it, and of the members. So ranks find on the
 * board (board.h) what the others did on the same communicator. Groups of different sessions, or of a session and of MPI_COMM_WORLD,
 * may not be compared (MPI-5.0 section 11.3), so the members of a communicator that MPI_Comm_create_from_group has made, or that
 * comes from one, tell each other over it who they are and what its number is, before the program has it.
 */
#ifndef INSIGHT_CHECKS_OBJECT_COMM_CHECK_H
#define INSIGHT_CHECKS_OBJECT_COMM_CHECK_H

#include "insight/objects/comm_record.h"

/* After MPI_Init. */
void comm_check_start(void);
/* A communicator that the library below made for a window or file: only its number is used. */
uint64_t comm_check_derive(struct comm_record *comm);
/* The members of a group of a window as ranks of MPI_COMM_WORLD, in memory of the caller's; NULL: not known. */
int *comm_check_group(MPI_Group group, MPI_Win win, const struct comm_record *members, int *size);
/* MPI_Finalize as a collective of MPI_COMM_WORLD. */
void comm_check_enter_finalize(struct intercept *call, struct comm_record *world);

#endif
