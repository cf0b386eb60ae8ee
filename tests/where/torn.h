/* torn: reads of other processes that find them in the middle of a change (torn.c). */
#ifndef TESTS_WHERE_TORN_H
#define TESTS_WHERE_TORN_H

/* From now on one read in `reads` is torn; 0: none. */
void torn_begin(int reads);
/* How many were. */
unsigned long torn_count(void);

#endif
