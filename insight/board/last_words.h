/* last_words: what a rank keeps on the board, so that its death loses nothing that was seen before.
 *
 * MPI_Recv leaves the look at its message for later (message_check.h). Until then the receive stands here, and the envelope in the channel,
 * so that who tells the findings can compare the two when the rank is dead (late_receive.h). The rank itself writes all of it;
 * others read it when the rank has ended.
 */
#ifndef INSIGHT_BOARD_LAST_WORDS_H
#define INSIGHT_BOARD_LAST_WORDS_H

#include "insight/board/finding_list.h"
#include "insight/call/type_signature.h"

#include <stdatomic.h>

/* A receive whose message is the first in the channel that fits. */
struct late_receive {
    _Atomic uint32_t is_set; /* stored with release when the rest is there: its writer may die in between */
    int from;                /* in MPI_COMM_WORLD */
    int source, tag;         /* as the status has them */
    bool is_truncated;
    bool is_handled; /* the program gets its errors itself */
    uint64_t comm;   /* number */
    struct type_signature signature;
    struct call_place place;
};

struct last_words {
    struct late_receive receive;
    struct call_place call; /* the last one, or the one that it is in */
    struct call_place crash;
    _Atomic int
        signal; /* that it died of, where a handler saw it; stored with release when `crash` is there; 0: none */
};

#endif
