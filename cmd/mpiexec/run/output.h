/* output: what the ranks write to their standard output and error, on its way to mpiexec's own.
 *
 * mpiexec reads it, and writes whole lines, so that lines of several ranks do not mix; with --label each begins with
 * its rank. What is no whole line yet waits until it is one, until its stream ends, until it is longer than LINE_LIMIT, or for
 * LATE_MS, at a terminal LATE_TERMINAL_MS: it may be a question to the user. With --label it waits all the same, since
 * a label begins a line. Not a byte is changed otherwise.
 *
 * A rank whose stream goes to a terminal gets a terminal of its own, so that it writes each line at once, as it would there.
 * The only rank of a job writes to a terminal itself. So do all with --direct-output, to /dev/null, and where the
 * limit of descriptors leaves no room; those that launch ranks on other hosts are no ranks of ours to read.
 */
#ifndef CMD_MPIEXEC_RUN_OUTPUT_H
#define CMD_MPIEXEC_RUN_OUTPUT_H

#include "cmd/mpiexec/job.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Chooses how the ranks' output goes. Called before a rank is started. */
void output_choose(const struct job *job);
/* Makes what one stream of a rank is read from, or the file that it is for. *theirs: the rank's end; -1: it has mpiexec's own
 * descriptor. */
int output_open(const struct job *job, struct stream *stream, int rank, int *theirs);

/* Reads once and prints the complete lines. Closes the stream at its end. */
void output_forward(struct stream *stream, int rank);
/* Reads what is there now, when the rank has ended. */
void output_catch_up(struct stream *stream, int rank);
/* Reads until nothing is left, prints everything, and closes the stream. */
void output_drain(struct stream *stream, int rank);

/* Prints what has waited for its line's end for too long. Returns when it is to be called again; 0: nothing waits. */
uint64_t output_print_late(struct job *job, uint64_t now);

/* input: passes mpiexec's standard input to the rank of --stdin, 0 by default; the others read /dev/null.
 *
 * The rank inherits a file or pipe. A terminal belongs to mpiexec's process group, so mpiexec reads it, while
 * it is in the foreground, and forwards the lines through a pipe. For --stdin all another process reads, and writes to a pipe of each
 * rank; who reads slowest holds up the others.
 */

int input_open(const struct job *job);
/* The rank has started, or cannot be. */
void input_started(void);
/* Begins to pass it on to all, when they have started. mask: the signals to block there. */
int input_spread(const sigset_t *mask);
/* The descriptor that becomes the rank's standard input; -1: mpiexec's own. */
int input_for(int rank);
/* Called once the ranks have started: the terminal to watch; -1: none. */
int input_terminal(void);
/* The terminal may have input: forwards it. Returns whether to go on watching. */
bool input_forward(void);
/* Whether mpiexec may read the terminal now. */
bool input_is_foreground(void);

/* writer: writes the ranks' output, and what mpiexec says itself, to mpiexec's own standard output (1) and
 * error (2).
 *
 * Nothing here blocks: who reads may have stopped, and mpiexec must still notice signals, ends of ranks and
 * --timeout. What finds no room waits in memory; meanwhile the event loop reads nothing more of the ranks' streams that go there,
 * so they wait as they would for the reader itself. A pipe or terminal is opened once more for that, since others
 * share its description.
 */

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
