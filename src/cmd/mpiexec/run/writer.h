/* writer: writes the ranks' output, and what mpiexec says itself, to mpiexec's own standard output (1) and
 * error (2).
 *
 * Nothing here blocks: who reads may have stopped, and mpiexec must still notice signals, ends of ranks and
 * --timeout. What finds no room waits in memory; meanwhile the event loop reads nothing more of the ranks' streams that go there,
 * so they wait as they would for the reader itself. A pipe or terminal is opened once more for that, since others
 * share its description.
 */
#ifndef CMD_MPIEXEC_RUN_WRITER_H
#define CMD_MPIEXEC_RUN_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Writes all of it now or later. False: nobody reads it any more, or it cannot be written, which is said once. */
bool writer_write(int target, const char *bytes, size_t size);

/* From now on another mpiexec writes there, too: lines of up to PIPE_BUF bytes do not mix with its own. */
void writer_share(void);

/* Writes what waits, as far as there is room. Returns whether any was written. */
bool writer_flush(void);
/* A descriptor to wait on for room; -1: nothing waits. */
int writer_waits(int target);

/* Whether something could not be written. */
bool writer_has_failed(void);

#endif
