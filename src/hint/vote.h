/* vote: counts the values that the ranks of one object have in a row that must be the same everywhere
 * (AGREE_SAME).
 *
 * The count names the odd ranks without another exchange. A vote is plain data of fixed size. It travels in
 * the exchange that making or changing the object needs anyway. Votes may be added up in any order. With two
 * values, which is all that a boolean has, the count is exact. With more, it is exact whether they differ; who is
 * called odd depends on the order, so all ranks use one sum, or add up in one order.
 *
 * Communicators, which are made often, have a single vote, whose word has VOTE_BITS for each such row. Windows and
 * files have a vote for each (struct vote_rows). The rules of collectives are compared beside the rows, by a digest. Either way a row about which the ranks disagree does not reset the others.
 */
#ifndef HINT_VOTE_H
#define HINT_VOTE_H

#include "hint/hint.h"

struct vote {
    struct vote_party {
        uint64_t word; /* the value of its ranks */
        int32_t ranks; /* how many; 0: no party */
        int32_t first; /* the lowest of them */
    } party[2];
    int32_t others; /* ranks of further parties */
    int32_t
        rules_differ; /* 1: not all ranks have the same rules of collectives; else 0, since votes are sent as bytes */
    uint64_t differs;      /* the bits in which not all words are the same */
    uint64_t rules_digest; /* communicators: of the rules in force (hint/coll_rules.h), of one of the ranks */
};

enum {
    VOTE_BITS = 4 /* the values of a communicator's rows are HINT_FOLLOWS to 14 */
};

/* Of a communicator. */
struct vote vote_of(const struct hints *h, int rank);
void vote_add(struct vote *v, const struct vote *other);
bool vote_is_split(const struct vote *v);
/* The larger party; of two equal ones the one with the lowest rank. */
const struct vote_party *vote_winner(const struct vote *v);

/* Called with the sum of all votes. A row about which the ranks disagree goes back to its default (tests/hints/RULES.md, R31), and
 * the first of the odd ranks warns. */
void vote_settle(const struct vote *v, struct hints *h, int rank);

/* The same for each row of an object that has several. */
enum {
    VOTE_ROWS = 6 /* such rows that a kind of object has at most */
};

struct vote_rows {
    struct vote row[VOTE_ROWS]; /* in the order of the table; empty beyond the object's last row */
};

struct vote_rows vote_rows_of(const struct hints *h, int rank);
void vote_rows_add(struct vote_rows *v, const struct vote_rows *other);
void vote_rows_settle(const struct vote_rows *v, struct hints *h, int rank);

#endif
