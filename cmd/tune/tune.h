/* tune: what `inkling tune` has measured, and the rules that follow from it.
 *
 * Jobs of the program tune_rank (turns.c) print lines; those of a job that has ended are kept in FILE.part, so that a run that was stopped
 * goes on where it was. A rule is made where an algorithm was faster than the built-in choice in three quarters of the turns and by more
 * than a twentieth. A second measurement, of the finished file, must confirm it, or it is dropped.
 */
#ifndef CMD_TUNE_TUNE_H
#define CMD_TUNE_TUNE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum {
    TUNE_POINTS = 16384,
    TUNE_RULES = 512,
    TUNE_NETWORKS = 2
};

/* One algorithm against the built-in choice. */
struct tune_point {
    int ranks, hosts, collective;
    char algorithm[32];
    size_t bytes;
    double base, seconds;    /* of the built-in choice and of this one */
    double low, ratio, high; /* of their turns: seconds by base; first quartile, median, last quartile */
};

struct tune_rule {
    int ranks, hosts, collective;
    char algorithm[32];
    size_t from, to;    /* bytes, both included */
    size_t first, last; /* sizes that were measured, the least and the largest */
    bool is_dropped;
};

struct tune_link {
    bool is_known;
    double latency, overhead, gap, byte;
    size_t eager; /* the largest size that should go at once; 0: the built-in limit is as good */
};

/* A network between hosts. */
struct tune_network {
    char name[8];        /* as inkling_network has it */
    double small, large; /* seconds of a message of 8 bytes and of one of a MiB; 0: not measured */
};

struct tune {
    struct tune_point *point; /* of TUNE_POINTS; owned */
    int points;
    struct tune_rule rule[TUNE_RULES];
    int rules;
    struct tune_link near, far;
    struct tune_network network[TUNE_NETWORKS];
    double copy, reduce; /* seconds a byte; 0: not measured */
};

extern const char *const tune_networks[TUNE_NETWORKS]; /* the one that is taken without a device first */
extern const char *const tune_collectives[];           /* ended by NULL; in the order of the hint rows */

/* Takes a line of the program for so many ranks; *hosts: what it has said of hosts so far. */
void tune_take_line(struct tune *tune, const char *line, int ranks, int *hosts);
/* The faster network, by both sizes alike, if all were measured and it is not the one that is taken anyway; NULL: none. */
const struct tune_network *tune_faster_network(const struct tune *tune);
/* Makes the rules of all points. */
void tune_make_rules(struct tune *tune);
/* Drops the rules that this measurement of the file does not confirm. Returns how many. */
int tune_drop(struct tune *tune, const struct tune_point *checked, int count);
/* The file. */
void tune_write(const struct tune *tune, FILE *out);

#endif
