/* model: the World Model and the sessions use one library (MPI-5.0 sections 11.2 and 11.3).
 *
 * The first model to be opened opens the layers below: boot, transports, point-to-point. They stay open until
 * the process ends, since a peer that is ahead may already send to the next session of this process; the last
 * model to be closed sends what is still queued and tells the launcher that the process may exit.
 */
#ifndef RUNTIME_MODEL_H
#define RUNTIME_MODEL_H

#include <stdatomic.h>
#include <stdbool.h>

extern _Atomic int model_count; /* models that are open; changed under model.c's lock */

/* Whether MPI may be called at all. acquire: pairs with the release in model_open. */
static inline bool model_is_open(void)
{
    return atomic_load_explicit(&model_count, memory_order_acquire) > 0;
}

/* *thread_level: MPI_THREAD_X that is wanted, then that is granted. Thread-safe, as is model_close. */
int model_open(int *thread_level);
int model_close(void);

/* The World Model is over: MPI_Init cannot come any more. */
void model_forget_world(void);

#endif
