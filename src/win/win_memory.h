/* win_memory: where the memory of a new window lies, and how each rank reaches that of the others (win.h).
 *
 * Collective, if it does not say otherwise: a function takes part in exchanges on the window's communicator, and
 * fails on all ranks or on none.
 */
#ifndef WIN_WIN_MEMORY_H
#define WIN_WIN_MEMORY_H

#include "win/win.h"

/* The address at which this process loads and stores what lies at `address` in a rank's memory. NULL: it cannot.
 * Not collective. */
void *win_memory_map(struct win *win, int rank, uint64_t address, size_t bytes);

/* Gives the window its segments and its control blocks. Fails where same_size or same_disp_unit is false. */
int win_memory_place(struct win *win);

/* What this process maps of others stays mapped when they end (not collective). Fails if one has ended. */
int win_memory_hold(struct win *win);
void win_memory_let_go(struct win *win);

/* Whether every rank reaches the memory of all others without messages. Sets win->lacks_mappings. */
int win_memory_is_reached(struct win *win, bool *is_reached);

#endif
