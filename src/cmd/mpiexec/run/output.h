/* output: with --label, mpiexec reads the ranks' output and prefixes every line with the rank. Without it,
 * the ranks write to mpiexec's own output directly. */
#ifndef CMD_MPIEXEC_RUN_OUTPUT_H
#define CMD_MPIEXEC_RUN_OUTPUT_H

#include "cmd/mpiexec/job.h"

/* Reads once and prints the complete lines. Closes the stream at its end. */
void output_forward(struct stream *stream, int rank);
/* Reads until nothing is left, prints everything, and closes the stream. */
void output_drain(struct stream *stream, int rank);

#endif
