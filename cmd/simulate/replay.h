/* replay: runs the schedules of all ranks over a model, event by event.
 *
 * Each rank has a clock. It takes its steps in order; a wait ends when all that was started before it has. The ranks go on in the order
 * of their clocks, so that the interface of a host is given to those who come first. Between two ranks messages are matched in order.
 */
#ifndef CMD_SIMULATE_REPLAY_H
#define CMD_SIMULATE_REPLAY_H

#include "cmd/simulate/loggp.h"
#include "cmd/simulate/pretend.h"
#include "cmd/simulate/step_store.h"

#include <stdbool.h>

/* Seconds until the last rank ends; below 0: there is no memory, or ranks wait for each other. */
double replay(const struct pretended *world, const struct step_store *store, const struct loggp *model);

#endif
