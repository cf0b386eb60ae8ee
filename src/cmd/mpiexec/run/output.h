/* output: with --label mpiexec reads the ranks' output and begins every line with the rank. Without, the
 * ranks write to mpiexec's own output themselves. */
#ifndef CMD_MPIEXEC_RUN_OUTPUT_H
#define CMD_MPIEXEC_RUN_OUTPUT_H

#include "cmd/mpiexec/job.h"

/* Reads what there is, once, and prints the complete lines. Closes the stream at its end. */
void output_forward(struct stream *stream, int rank);
/* Reads until nothing more is there, prints all, and closes. */
void output_drain(struct stream *stream, int rank);

#endif
