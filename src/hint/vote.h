/* vote: what the ranks of one object have for the row that must be the same everywhere (AGREE_SAME), counted,
 * so that the odd ones out can be named without asking again. A vote is plain data of fixed size; it travels
 * in the exchange that making or changing the object needs anyway, and adding votes up gives the same in any
 * order. With two values, all that a boolean has, the count is exact.
 */
#ifndef HINT_VOTE_H
#define HINT_VOTE_H

#include "hint/hint.h"

struct vote {
    struct vote_party {
        uint64_t word; /* hints_agreement() of its ranks */
        int32_t ranks; /* how many; 0: no party */
        int32_t first; /* the lowest of them */
    } party[2];
    int32_t others; /* ranks of further parties */
    int32_t unused; /* 0; votes are sent as bytes */
};

struct vote vote_of(const struct hints *h, int rank);
void vote_add(struct vote *v, const struct vote *other);
bool vote_is_split(const struct vote *v);
/* The larger party; of two equal ones that with the lowest rank. */
const struct vote_party *vote_winner(const struct vote *v);

/* The sum of all votes has come: where the ranks disagree, the rows go back to their default (facts R31), and
 * the first of the odd ranks warns, once per key. */
void vote_settle(const struct vote *v, struct hints *h, int rank);

#endif
