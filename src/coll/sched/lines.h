/* lines: steps of a schedule that the ranks of a host take in the memory they share, along a tree (shm/host_tree.h).
 *
 *     lines_use(s, tree, tag);
 *     lines_fold(s, sum, neighbour, LINE_UP);
 *     lines_publish(s, sum, LINE_UP, parent);
 *     lines_take(s, result, parent, LINE_DOWN);
 *     lines_end(s);
 *
 * Each happens at its place, as a schedule_wait does: a rank goes on when the line is there, or its own may be written. What has been
 * received must have been waited for before. All ranks of a host name the neighbours' lines that they publish, in the same call.
 * Where a rank's call has failed, lines_end publishes the lines that it has not: nobody waits for this rank in vain.
 */
#ifndef COLL_SCHED_LINES_H
#define COLL_SCHED_LINES_H

#include "coll/sched/schedule.h"
#include "coll/shm/host_tree.h"

/* The schedule is a call of this tree, its first steps; tag: what the ranks must agree on, 16 bits below 0x8000 and 16 above. */
void lines_use(struct schedule *s, struct host_tree *tree, uint32_t tag);
/* Writes this rank's line, and wakes one neighbour; -1: all of them. */
void lines_publish(struct schedule *s, struct coll_block from, enum tree_line line, int reader);
/* Copies a neighbour's line. */
void lines_take(struct schedule *s, struct coll_block to, int neighbour, enum tree_line line);
/* into[i] = line[i] op into[i], of items without gaps. */
void lines_fold(struct schedule *s, struct coll_block into, int neighbour, enum tree_line line);
/* This rank reads no more lines. */
void lines_end(struct schedule *s);

/* For schedule_run.c: goes on with such a step. False: not yet. */
bool lines_advance(struct schedule *s, const struct step *step);
/* The same, until it is done. */
void lines_do(struct schedule *s, const struct step *step);

#endif
