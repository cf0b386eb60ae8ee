/* calls: the collectives that are measured, by name, and the same number of bytes as the rules count them (coll/choice.h). */
#ifndef CMD_TUNE_CALLS_H
#define CMD_TUNE_CALLS_H

#include <mpi.h>
#include <stddef.h>

struct tune_call {
    const char *name;
    void (*run)(MPI_Comm comm, int items); /* `items` doubles: of the vector, or of each block */
    int has_blocks;                        /* the rules count all of them together */
};

/* Ended by a NULL name. */
extern const struct tune_call tune_calls[];

/* Memory for calls of so many bytes on so many ranks. Without it the job ends. */
void calls_prepare(size_t bytes, int ranks);

/* A copy of MPI_COMM_WORLD with this hint. */
MPI_Comm calls_comm_with(const char *key, const char *value);

/* links: what messages between two ranks cost, for the model of inkling simulate, and up to which size to send them at once. */

/* How many hosts the ranks are on. Collective. */
int links_count_hosts(void);

/* Prints, of near ranks (of one host) and far ones, where there are such:
 *     link near LATENCY OVERHEAD GAP BYTE                seconds, seconds a byte
 *     eager near SIZE RATIO LOWER UPPER                  time as an eager message by that as one that waits for its receiver
 * and of this core:
 *     core COPY REDUCE                                   seconds a byte
 * Collective; ranks that take no part wait. */
void links_measure(void);

/* Prints, where the ranks are on several hosts:
 *     network NAME SMALL LARGE                           seconds of a message of 8 bytes and of one of a MiB
 * Collective; ranks that take no part wait. */
void links_measure_network(const char *name);

#endif
