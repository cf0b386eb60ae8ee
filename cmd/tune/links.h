/* links: what messages between two ranks cost, for the model of inkling simulate, and up to which size to send them at once. */
#ifndef CMD_TUNE_LINKS_H
#define CMD_TUNE_LINKS_H

/* How many hosts the ranks are on. Collective. */
int links_count_hosts(void);

/* Prints, of near ranks (of one host) and far ones, where there are such:
 *     link near LATENCY OVERHEAD GAP BYTE                seconds, seconds a byte
 *     eager near SIZE RATIO LOWER UPPER                  time as an eager message by that as one that waits for its receiver
 * and of this core:
 *     core COPY REDUCE                                   seconds a byte
 * Collective; ranks that take no part wait. */
void links_measure(void);

#endif
