/* maker: the place in the program that has made a call of MPI. */
#ifndef CMD_WHERE_MAKER_H
#define CMD_WHERE_MAKER_H

#include "cmd/where/rank.h"
#include "cmd/where/stack.h"

/* "at halo.c:88", or where there is no line "in solve()+0x1f". */
void maker_format(const struct call_frame *f, char *to, size_t room);
/* Where each open request was made, and posted or started, and that for which a thread waits. */
void maker_find(struct rank_view *v);

#endif
