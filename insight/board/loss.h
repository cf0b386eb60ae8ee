/* loss: what is over in a job that goes on when ranks die (mpiexec --survive), so that nothing that follows from a death is blamed on the
 * living.
 *
 * mpiexec writes down a death before it tells the library of any rank. Elsewhere a rank does so that an error has told (comm_loss.h). So
 * a rank that has got an error because of a death finds it here. Objects are known by their numbers, one bit for several: of one that is
 * taken for another nothing is compared any more.
 */
#ifndef INSIGHT_BOARD_LOSS_H
#define INSIGHT_BOARD_LOSS_H

#include "insight/board/board.h"

/* A rank of MPI_COMM_WORLD has died. */
void loss_add_dead(struct board *of, int world);
bool loss_is_dead(int world);
/* A number is over; or revoked, and so over. */
void loss_add_over(uint64_t number);
void loss_add_revoked(uint64_t number);
bool loss_is_over(uint64_t number);
bool loss_is_revoked(uint64_t number);
/* What a rank is doing: RANK_LOST if it has died. */
enum rank_state loss_state_of(int world);

/* Counts all this; 0: nothing has been lost or revoked. Acquire: pairs with the release of whoever has counted. */
static inline uint32_t loss_news(void)
{
    return board ? atomic_load_explicit(&board->loss.news, memory_order_acquire) : 0;
}

#endif
