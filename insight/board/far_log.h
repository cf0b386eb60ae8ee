/* far_log: collectives whose members have several boards, for the comparing of these boards in MPI_Finalize (board_gather.c).
 *
 * The first rank of a board that comes to such a collective puts down what it calls, as long as there is room. Where ranks of one
 * board differ already, another board's ranks do so for the same reason: that collective is not compared again. The board's lock
 * protects it.
 */
#ifndef INSIGHT_BOARD_FAR_LOG_H
#define INSIGHT_BOARD_FAR_LOG_H

#include "insight/board/finding_list.h"

enum {
    FAR_CALLS = 4096
};

struct far_call {
    uint64_t number, turn; /* of the object and of the collective on it: comm_check.c */
    uint64_t op;
    struct call_place place;
    uint32_t procedure;
    int root;
    int rank, world;  /* in the communicator, and in MPI_COMM_WORLD */
    int group;        /* 1, 2: of an intercommunicator */
    bool is_reported; /* ranks of one board differ */
};

struct far_log {
    uint32_t count;
    bool is_full; /* there were more */
    struct far_call call[FAR_CALLS];
};

/* One more than the index of the call; 0: no room. */
uint32_t far_log_add(struct far_log *log, const struct far_call *call);
/* Ranks of the board differ in this call, as far_log_add has returned it. */
void far_log_report(struct far_log *log, uint32_t added);
/* Compares each collective that both have, and adds what this one lacks. Modules are those of the lists. */
void far_log_merge(struct far_log *log, struct finding_list *list, const struct far_log *other,
                   const struct finding_list *modules,
                   bool (*compare)(const struct far_call *one, const struct far_call *two));

#endif
