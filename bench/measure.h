/* measure: what the benchmark programs share. They are plain MPI and run on any library.
 *
 * Rank 0 prints lines `name value`; bench/run.py reads them.
 */
#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H

/* Prints `cpus A B ...`: the one CPU that each rank is bound to, or -1 for a rank that is not bound to one.
 * Collective over MPI_COMM_WORLD. */
void measure_cpus(void);

/* The median; sorts the values. */
double measure_median(double *value, int count);

/* argv[index] as a number, or what to take where there is none. */
long measure_argument(int argc, char **argv, int index, long otherwise);

/* Bytes of memory that this process has touched. */
double measure_touched(void);

#endif
