/* cost: what a collective access is estimated to cost, each rank for itself or through the buffers of aggregators
 * (collective_buffering.h). `inkling io` prints the estimate.
 */
#ifndef FILE_COST_H
#define FILE_COST_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* What all ranks want together. */
struct cost_pattern {
    bool is_write;
    double runs;    /* stretches of the file that are accessed */
    double bytes;   /* in these */
    double span;    /* bytes of the file from the first of them to the last, without windows that have none */
    double spans;   /* of each rank from its first to its last, added up */
    double windows; /* which aggregators move one after the other */
    int aggregators;
};

struct cost {
    double independent, buffered; /* nanoseconds */
};

struct cost cost_estimate(const struct cost_pattern *p);
/* Whether buffers are estimated to be faster. Where the ranks' stretches lie one behind the other they never are. */
bool cost_favours_buffers(const struct cost_pattern *p);

/* For blocks of several sizes that the ranks access in turn: both costs, and what is chosen. */
void cost_print(FILE *to, int ranks, int aggregators);
void cost_print_json(FILE *to, int ranks, int aggregators);

#endif
