/* borrow: memory of devices that other processes of the host have lent to this one (struct loan, kind.h).
 *
 * To borrow costs much more than to copy, so what was borrowed is kept for the next message. Nobody tells
 * when its owner frees it; a process finds out when the owner lends another allocation at the same place, and
 * gives the old one back. It keeps few at a time, the ones used last, and gives all back when the library
 * closes. Refusals are kept in the same way: the driver is asked once.
 *
 * What a device copies in between must not be given back, so each use is counted. Any thread.
 */
#ifndef MEMORY_BORROW_H
#define MEMORY_BORROW_H

#include "memory/kind.h"

enum {
    BORROWED_MAX = 32
};

struct borrowed;

/* Where `bytes` at `address` in the memory of process `owner` (any number that tells processes apart) are
 * reached from here, by copies whose other side is `beside`; until borrow_end. NULL: refused, or the loan
 * does not cover them, or all places are in use. */
struct borrowed *borrow_begin(int owner, const struct loan *loan, uint64_t address, size_t bytes,
                              const void *beside, const void **at);
void borrow_end(struct borrowed *b);

/* Gives back what the owner lent. */
void borrow_forget(int owner);
void borrow_forget_all(void);

/* How many are borrowed now; and how often a driver was asked to borrow, since the beginning. */
int borrow_count(void);
unsigned long borrow_asked(void);

#endif
