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

/* Chooses how the ranks' output goes. Called before a rank is started. */
void output_choose(const struct job *job);
/* Makes what one stream of a rank is read from. *theirs: the rank's end; -1: it has mpiexec's own descriptor. */
int output_open(struct stream *stream, int *theirs);

/* Reads once and prints the complete lines. Closes the stream at its end. */
void output_forward(struct stream *stream, int rank);
/* Reads what is there now, when the rank has ended. */
void output_catch_up(struct stream *stream, int rank);
/* Reads until nothing is left, prints everything, and closes the stream. */
void output_drain(struct stream *stream, int rank);

/* Prints what has waited for its line's end for too long. Returns when it is to be called again; 0: nothing waits. */
uint64_t output_print_late(struct job *job, uint64_t now);

#endif
